//! What is done to the types once all of them are known: unions put in order, cycles found and made finite.

use crate::map::{BTreeMap, BTreeSet};

use alloc::{borrow::Cow, boxed::Box, vec, vec::Vec};

use super::{
    build::{MAX_ALTERNATIVES, MAX_NODES},
    ir::{Literal, Node, NodeId, Shape, Tagged, Types},
    loss::Reason,
};

pub(super) fn finish(types: &mut Types<'_>) {
    for at in 0..types.nodes.len() {
        settle_union(types, NodeId::at(at));
    }
    for at in 0..types.nodes.len() {
        settle_nullable(types, NodeId::at(at));
    }
    for at in 0..types.nodes.len() {
        find_tag(types, NodeId::at(at));
    }
    merge_equal(types);
    cut_endless(types);
    let components = components(types, |_| true);
    for (at, (component, is_cyclic)) in components.into_iter().enumerate() {
        if let Some(node) = types.nodes.get_mut(at) {
            (node.component, node.is_cyclic) = (component, is_cyclic);
        }
    }
    count_uses(types);
}

fn set<'t>(types: &mut Types<'t>, at: NodeId, shape: Shape<'t>) {
    if let Some(node) = types.nodes.get_mut(at.0 as usize) {
        node.shape = shape;
    }
}

/// Makes a type any value because one of its parts is, for the same reason.
fn set_any(types: &mut Types<'_>, at: NodeId, part: NodeId) {
    match types.cut.get(&part).cloned() {
        Some(reason) => types.cut(at, reason),
        None => set(types, at, Shape::Any),
    }
}

/// The alternatives of a union, sorted by what they are.
#[derive(Default)]
struct Alternatives<'t> {
    is_nullable: bool,
    any: Option<NodeId>,
    has: BTreeSet<&'static str>,
    literals: Vec<Literal<'t>>,
    others: Vec<NodeId>,
}

/// Flattens a union, takes `null` out of it, and drops alternatives that others include.
fn settle_union(types: &mut Types<'_>, at: NodeId) {
    let Shape::Union(_) = types.shape(at) else { return };
    let Some(found) = flatten(types, at) else {
        return types.cut(at, Reason::TooLarge);
    };
    if let Some(any) = found.any {
        return set_any(types, at, any);
    }
    let mut parts = Vec::new();
    let scalars =
        [("string", Shape::Str), ("number", Shape::Num), ("integer", Shape::Int), ("boolean", Shape::Bool)];
    for (word, shape) in scalars {
        if found.has.contains(word) && (word != "integer" || !found.has.contains("number")) {
            parts.push(types.push(shape));
        }
    }
    let mut seen = BTreeSet::new();
    let literals: Vec<_> = found
        .literals
        .into_iter()
        .filter(|literal| match literal {
            Literal::Str(_) => !found.has.contains("string"),
            Literal::Int(_) => !found.has.contains("number") && !found.has.contains("integer"),
            Literal::Bool(_) => !found.has.contains("boolean"),
        })
        .filter(|literal| seen.insert(literal.clone()))
        .collect();
    if !literals.is_empty() {
        parts.push(types.push(Shape::Literals(literals)));
    }
    parts.extend(found.others);
    let shape = match parts.as_slice() {
        [] => Shape::Null,
        [single] if found.is_nullable => Shape::Nullable(*single),
        [single] => types.shape(*single).clone(),
        _ if found.is_nullable => Shape::Nullable(types.push(Shape::Union(parts))),
        _ => Shape::Union(parts),
    };
    set(types, at, shape);
}

fn flatten<'t>(types: &Types<'t>, at: NodeId) -> Option<Alternatives<'t>> {
    let mut found = Alternatives::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![at];
    while let Some(part) = open.pop() {
        if !seen.insert(part) {
            continue;
        }
        if seen.len() > 2 * MAX_ALTERNATIVES {
            return None;
        }
        match types.shape(part) {
            Shape::Union(parts) => open.extend(parts.iter().rev()),
            Shape::Nullable(inner) => {
                found.is_nullable = true;
                open.push(*inner);
            }
            Shape::Null => found.is_nullable = true,
            // One that was cut comes first: then the union loses what that one loses.
            Shape::Any if types.cut.contains_key(&part) => found.any = Some(part),
            Shape::Any => found.any = found.any.or(Some(part)),
            Shape::Str => _ = found.has.insert("string"),
            Shape::Num => _ = found.has.insert("number"),
            Shape::Int => _ = found.has.insert("integer"),
            Shape::Bool => _ = found.has.insert("boolean"),
            Shape::Literals(literals) => found.literals.extend(literals.iter().cloned()),
            other => {
                let is_known = found.others.iter().any(|known| types.shape(*known) == other);
                if !is_known {
                    found.others.push(part);
                }
            }
        }
    }
    Some(found)
}

/// Makes `null` an alternative at most once.
fn settle_nullable(types: &mut Types<'_>, at: NodeId) {
    let Shape::Nullable(inner) = types.shape(at) else { return };
    let mut inner = *inner;
    for _ in 0..MAX_ALTERNATIVES {
        match types.shape(inner) {
            Shape::Nullable(deeper) => inner = *deeper,
            Shape::Any => return set_any(types, at, inner),
            Shape::Null => return set(types, at, Shape::Null),
            _ => return set(types, at, Shape::Nullable(inner)),
        }
    }
    types.cut(at, Reason::ReferenceLoop);
}

/// Tells the alternatives of a union apart by a member that is another constant string in each, if there is one.
fn find_tag(types: &mut Types<'_>, at: NodeId) {
    let Shape::Union(parts) = types.shape(at) else { return };
    let Some(Shape::Record(first)) = parts.first().map(|part| types.shape(*part)) else { return };
    let tags = first.fields.iter().filter(|field| constant(types, field.node).is_some()).take(4);
    let found = tags.into_iter().find_map(|field| {
        let mut values = BTreeSet::new();
        let variants: Option<Vec<_>> = parts
            .iter()
            .map(|part| {
                let value = tag_value(types, *part, &field.name)?;
                values.insert(value.clone()).then_some((value, *part))
            })
            .collect();
        Some(Tagged { tag: field.name.clone(), variants: variants? })
    });
    if let Some(tagged) = found {
        set(types, at, Shape::Tagged(Box::new(tagged)));
    }
}

/// Makes types that are written alike one type, so that what every tool repeats is generated once.
///
/// What a tool takes stays its own: the texts about its members belong to that tool.
fn merge_equal(types: &mut Types<'_>) {
    let inputs: BTreeSet<_> = types.tools.iter().map(|tool| tool.input).collect();
    let mut first: BTreeMap<u64, NodeId> = BTreeMap::new();
    let mut same: Vec<NodeId> = (0..types.nodes.len()).map(NodeId::at).collect();
    for at in 0..types.nodes.len() {
        let Some(node) = types.nodes.get_mut(at) else { continue };
        node.shape.redirect(|to| same.get(to.0 as usize).copied().unwrap_or(to));
        if inputs.contains(&NodeId::at(at)) || types.cut.contains_key(&NodeId::at(at)) {
            continue;
        }
        let found = *first.entry(types.mark(NodeId::at(at))).or_insert_with(|| NodeId::at(at));
        // Types with one mark that differ after all stay two, so that nobody gains from making them.
        let found = if types.are_alike(found, NodeId::at(at)) { found } else { NodeId::at(at) };
        if let Some(slot) = same.get_mut(at) {
            *slot = found;
        }
    }
    // References may lead to types further on, which were not settled when they were passed.
    for node in &mut types.nodes {
        node.shape.redirect(|to| same.get(to.0 as usize).copied().unwrap_or(to));
    }
    for tool in &mut types.tools {
        tool.output = tool.output.map(|to| same.get(to.0 as usize).copied().unwrap_or(to));
    }
}

fn constant<'t>(types: &Types<'t>, node: NodeId) -> Option<Cow<'t, str>> {
    match types.shape(node) {
        Shape::Literals(literals) => match literals.as_slice() {
            [Literal::Str(value)] => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn tag_value<'t>(types: &Types<'t>, part: NodeId, tag: &str) -> Option<Cow<'t, str>> {
    let Shape::Record(record) = types.shape(part) else { return None };
    let field = record.fields.iter().find(|field| field.name == tag && field.is_required)?;
    constant(types, field.node)
}

/// Makes every cycle pass through a record, which has a name in every language.
fn cut_endless(types: &mut Types<'_>) {
    let is_nameless = |node: &Node<'_>| !matches!(node.shape, Shape::Record(_));
    let cyclic: Vec<_> = components(types, is_nameless)
        .into_iter()
        .enumerate()
        .filter(|(_, (_, is_cyclic))| *is_cyclic)
        .map(|(at, _)| NodeId::at(at))
        .collect();
    for at in cyclic {
        types.cut(at, Reason::ReferenceLoop);
    }
}

/// Finds the strongly connected components of the types (Tarjan), with a stack of our own.
fn components(types: &Types<'_>, includes: impl Fn(&Node<'_>) -> bool) -> Vec<(u32, bool)> {
    const UNSEEN: usize = usize::MAX;
    struct Frame {
        at: usize,
        edges: Vec<usize>,
    }
    let count = types.nodes.len();
    // What leads nowhere is in no cycle.
    let includes = |node: &Node<'_>| {
        !node.shape.is_plain() && !matches!(node.shape, Shape::Literals(_)) && includes(node)
    };
    let edges_of = |at: usize| {
        let mut edges = Vec::new();
        if let Some(node) = types.nodes.get(at).filter(|node| includes(node)) {
            node.shape.edges(|to| edges.push(to.0 as usize));
        }
        edges.retain(|to| types.nodes.get(*to).is_some_and(&includes));
        edges
    };
    let mut found = vec![(0, false); count];
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut is_open = vec![false; count];
    let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    let get = |list: &[usize], at: usize| list.get(at).copied().unwrap_or(UNSEEN);
    let put = |list: &mut [usize], at: usize, value: usize| {
        if let Some(slot) = list.get_mut(at) {
            *slot = value;
        }
    };
    for start in 0..count {
        if get(&order, start) != UNSEEN || !types.nodes.get(start).is_some_and(includes) {
            continue;
        }
        let mut frames = vec![Frame { at: start, edges: edges_of(start) }];
        while let Some(frame) = frames.last_mut() {
            let at = frame.at;
            if get(&order, at) == UNSEEN {
                put(&mut order, at, next);
                put(&mut low, at, next);
                next += 1;
                open.push(at);
                is_open.iter_mut().skip(at).take(1).for_each(|slot| *slot = true);
            }
            if let Some(to) = frame.edges.pop() {
                if get(&order, to) == UNSEEN {
                    frames.push(Frame { at: to, edges: edges_of(to) });
                } else if is_open.get(to) == Some(&true) {
                    let least = get(&low, at).min(get(&order, to));
                    put(&mut low, at, least);
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                let least = get(&low, parent.at).min(get(&low, at));
                put(&mut low, parent.at, least);
            }
            if get(&low, at) != get(&order, at) {
                continue;
            }
            let from = open.iter().rposition(|node| *node == at).unwrap_or(open.len());
            let members = open.split_off(from);
            let is_cyclic = members.len() > 1 || edges_of(at).contains(&at);
            let component = u32::try_from(at).unwrap_or(u32::MAX);
            for member in members {
                is_open.iter_mut().skip(member).take(1).for_each(|slot| *slot = false);
                found.iter_mut().skip(member).take(1).for_each(|slot| *slot = (component, is_cyclic));
            }
        }
    }
    found
}

fn count_uses(types: &mut Types<'_>) {
    let mut uses = vec![0; types.nodes.len()];
    for node in &types.nodes {
        node.shape.edges(|to| uses.iter_mut().skip(to.0 as usize).take(1).for_each(|count| *count += 1));
    }
    for (node, count) in types.nodes.iter_mut().zip(uses) {
        node.uses = count;
    }
    debug_assert!(types.nodes.len() <= 4 * MAX_NODES);
}
