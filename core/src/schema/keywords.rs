//! Sorts the members of a schema in one walk: what shapes a value, what only restricts it, what is text.

use alloc::vec::Vec;

use crate::json::{Item, Kind};

/// The keywords of one schema that shape a value, and the names of those that only restrict it.
#[derive(Clone, Debug, Default)]
pub(super) struct Keywords<'t> {
    pub(super) reference: Option<Item<'t>>,
    pub(super) kind: Option<Item<'t>>,
    pub(super) constant: Option<Item<'t>>,
    pub(super) choices: Option<Item<'t>>,
    pub(super) any_of: Option<Item<'t>>,
    pub(super) one_of: Option<Item<'t>>,
    pub(super) all_of: Option<Item<'t>>,
    pub(super) properties: Option<Item<'t>>,
    pub(super) required: Option<Item<'t>>,
    pub(super) additional: Option<Item<'t>>,
    pub(super) patterns: Option<Item<'t>>,
    pub(super) items: Option<Item<'t>>,
    pub(super) prefix_items: Option<Item<'t>>,
    pub(super) additional_items: Option<Item<'t>>,
    pub(super) min_items: Option<Item<'t>>,
    pub(super) max_items: Option<Item<'t>>,
    pub(super) nullable: bool,
    pub(super) unchecked: Vec<&'static str>,
}

/// Keywords that restrict a value in ways that no type of ours expresses.
const RESTRICTIONS: [&str; 24] = [
    "$dynamicRef",
    "$recursiveRef",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "maxLength",
    "maxProperties",
    "maximum",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "pattern",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

impl<'t> Keywords<'t> {
    pub(super) fn of(schema: Item<'t>) -> Self {
        let mut own = Self::default();
        for (name, value) in schema.members() {
            own.sort(&name.to_str(), value);
        }
        own
    }

    fn sort(&mut self, name: &str, value: Item<'t>) {
        let slot = match name {
            "$ref" => &mut self.reference,
            "type" => &mut self.kind,
            "const" => &mut self.constant,
            "enum" => &mut self.choices,
            "anyOf" => &mut self.any_of,
            "oneOf" => &mut self.one_of,
            "allOf" => &mut self.all_of,
            "properties" => &mut self.properties,
            "required" => &mut self.required,
            "additionalProperties" => &mut self.additional,
            "patternProperties" => &mut self.patterns,
            "items" => &mut self.items,
            "prefixItems" => &mut self.prefix_items,
            "additionalItems" => &mut self.additional_items,
            "minItems" => &mut self.min_items,
            "maxItems" => &mut self.max_items,
            "nullable" => {
                self.nullable |= value.as_bool() == Some(true);
                return;
            }
            // What most schemas hold and no type depends on.
            "description" | "title" | "default" => return,
            _ => {
                if let Ok(at) = RESTRICTIONS.binary_search(&name) {
                    self.unchecked.extend(RESTRICTIONS.get(at));
                }
                return;
            }
        };
        if slot.is_none() {
            *slot = Some(value);
        }
    }

    /// Returns whether anything here says what a value looks like.
    pub(super) const fn has_shape(&self) -> bool {
        self.reference.is_some()
            || self.kind.is_some()
            || self.constant.is_some()
            || self.choices.is_some()
            || self.any_of.is_some()
            || self.one_of.is_some()
            || self.all_of.is_some()
            || self.is_object_like()
            || self.is_array_like()
    }

    pub(super) const fn is_object_like(&self) -> bool {
        self.properties.is_some()
            || self.additional.is_some()
            || self.patterns.is_some()
            || self.required.is_some()
    }

    pub(super) const fn is_array_like(&self) -> bool {
        self.items.is_some() || self.prefix_items.is_some()
    }

    /// Returns whether the schema describes an object by its members alone.
    pub(super) fn is_plain_object(&self) -> bool {
        let is_object = match self.kind {
            Some(kind) => kind.is_str("object"),
            None => self.is_object_like(),
        };
        is_object
            && self.constant.is_none()
            && self.choices.is_none()
            && self.any_of.is_none()
            && self.one_of.is_none()
            && !self.nullable
    }

    pub(super) fn has_members(&self) -> bool {
        self.properties.is_some_and(|properties| {
            properties.kind() == Kind::Object && properties.members().next().is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_restrictions_are_sorted() {
        assert!(RESTRICTIONS.is_sorted());
    }
}
