//! The shape of a balanced tree (AVL), apart from what its nodes hold.

use alloc::vec::Vec;

/// Stands for a node that is not there.
pub(super) const NONE: u32 = u32::MAX;

/// A side of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    left: u32,
    right: u32,
    up: u32,
    height: u8,
}

const LEAF: Node = Node { left: NONE, right: NONE, up: NONE, height: 1 };

/// Nodes by number, in the order of an array that their owner keeps beside it.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    nodes: Vec<Node>,
    root: u32,
}

impl Shape {
    pub(super) const fn new() -> Self {
        Self { nodes: Vec::new(), root: NONE }
    }

    pub(super) const fn root(&self) -> u32 {
        self.root
    }

    pub(super) fn child(&self, at: u32, side: Side) -> u32 {
        let node = self.node(at);
        match side {
            Side::Left => node.left,
            Side::Right => node.right,
        }
    }

    /// Returns the outermost node on one side of a subtree.
    pub(super) fn outermost(&self, from: u32, side: Side) -> u32 {
        let mut at = from;
        loop {
            let next = self.child(at, side);
            if next == NONE {
                return at;
            }
            at = next;
        }
    }

    /// Returns the node that follows in order.
    pub(super) fn next(&self, at: u32) -> u32 {
        let right = self.child(at, Side::Right);
        if right != NONE {
            return self.outermost(right, Side::Left);
        }
        let (mut at, mut up) = (at, self.node(at).up);
        while up != NONE && self.child(up, Side::Right) == at {
            (at, up) = (up, self.node(up).up);
        }
        up
    }

    /// Adds a leaf, whose number is the next one.
    #[expect(clippy::cast_possible_truncation, reason = "so many nodes do not fit in memory")]
    pub(super) fn attach(&mut self, up: u32, side: Side) {
        let at = self.nodes.len() as u32;
        self.nodes.push(Node { up, ..LEAF });
        if up == NONE {
            self.root = at;
        } else {
            self.set_child(up, side, at);
        }
        self.retrace(up);
    }

    /// Removes a node that lacks a child at least; the last number becomes its own.
    #[expect(clippy::cast_possible_truncation, reason = "so many nodes do not fit in memory")]
    pub(super) fn detach(&mut self, at: u32) {
        let node = self.node(at);
        let child = if node.left == NONE { node.right } else { node.left };
        self.replace(node.up, at, child);
        self.retrace(node.up);
        let last = (self.nodes.len() - 1) as u32;
        let moved = self.node(last);
        if last != at {
            self.replace(moved.up, last, at);
            for below in [moved.left, moved.right] {
                self.edit(below, |node| node.up = at);
            }
            // Its parent was noted before the numbers changed hands.
            let up = self.node(at).up;
            self.edit(at, |node| *node = Node { up, ..moved });
        }
        self.nodes.pop();
    }

    fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or(Node { height: 0, ..LEAF })
    }

    fn edit(&mut self, at: u32, edit: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(at as usize) {
            edit(node);
        }
    }

    fn set_child(&mut self, at: u32, side: Side, child: u32) {
        self.edit(at, |node| match side {
            Side::Left => node.left = child,
            Side::Right => node.right = child,
        });
        self.edit(child, |node| node.up = at);
    }

    /// Puts a subtree where another one stood.
    fn replace(&mut self, up: u32, old: u32, new: u32) {
        if up == NONE {
            self.root = new;
            self.edit(new, |node| node.up = NONE);
        } else {
            let side = if self.child(up, Side::Left) == old { Side::Left } else { Side::Right };
            self.set_child(up, side, new);
        }
    }

    fn refresh(&mut self, at: u32) {
        let node = self.node(at);
        let height = 1 + self.node(node.left).height.max(self.node(node.right).height);
        self.edit(at, |node| node.height = height);
    }

    /// Balances every node from here to the root.
    fn retrace(&mut self, from: u32) {
        let mut at = from;
        while at != NONE {
            self.refresh(at);
            let tall = |side| self.node(self.child(at, side)).height;
            let (left, right) = (tall(Side::Left), tall(Side::Right));
            if left.abs_diff(right) > 1 {
                at = self.lean(at, if left > right { Side::Left } else { Side::Right });
            }
            at = self.node(at).up;
        }
    }

    /// Balances a node that leans to one side; returns the node that stands in its place.
    fn lean(&mut self, at: u32, side: Side) -> u32 {
        let child = self.child(at, side);
        let tall = |side| self.node(self.child(child, side)).height;
        if tall(side) < tall(side.other()) {
            self.rotate(child, side);
        }
        self.rotate(at, side.other())
    }

    /// Turns a node down to one side; returns the child that comes up for it.
    fn rotate(&mut self, at: u32, side: Side) -> u32 {
        let top = self.child(at, side.other());
        let inner = self.child(top, side);
        self.replace(self.node(at).up, at, top);
        self.set_child(at, side.other(), inner);
        self.set_child(top, side, at);
        self.refresh(at);
        self.refresh(top);
        top
    }
}
