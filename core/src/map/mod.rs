//! Ordered maps and sets: the standard library's, and on WebAssembly smaller ones that behave alike.
//!
//! Every type that the standard ones are used with costs about eight kilobytes of a module; here the shape of
//! the tree is code that all types share.

#[cfg(any(test, target_family = "wasm"))]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "it stands in for the standard one, whichever methods are used")
)]
mod set;
#[cfg(any(test, target_family = "wasm"))]
mod shape;
#[cfg(any(test, target_family = "wasm"))]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "it stands in for the standard one, whichever methods are used")
)]
mod small;

#[cfg(not(target_family = "wasm"))]
pub(crate) use alloc::collections::{BTreeMap, BTreeSet, btree_map::Entry};

#[cfg(target_family = "wasm")]
pub(crate) use self::{
    set::SmallSet as BTreeSet,
    small::{Entry, SmallMap as BTreeMap},
};

#[cfg(test)]
mod tests;
