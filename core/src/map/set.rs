//! A set as a map to nothing.

use core::{borrow::Borrow, fmt};

use super::small::{self, SmallMap};

/// An ordered set with the methods of the standard library's that are used here.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SmallSet<K>(SmallMap<K, ()>);

impl<K> SmallSet<K> {
    pub(crate) const fn new() -> Self {
        Self(SmallMap::new())
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn first(&self) -> Option<&K> {
        self.iter().next()
    }

    pub(crate) fn last(&self) -> Option<&K> {
        self.0.last_key_value().map(|(key, ())| key)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn iter(&self) -> Iter<'_, K> {
        Iter(self.0.iter())
    }
}

impl<K: Ord> SmallSet<K> {
    /// Returns whether the key was not there.
    pub(crate) fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    pub(crate) fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    pub(crate) fn pop_first(&mut self) -> Option<K> {
        self.0.pop_first().map(|(key, ())| key)
    }

    pub(crate) fn pop_last(&mut self) -> Option<K> {
        self.0.pop_last().map(|(key, ())| key)
    }

    /// Keeps the keys that are wanted, asked in order.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| is_wanted(key));
    }

    /// Returns whether the key was there.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove(key).is_some()
    }
}

/// Goes through a set in order.
pub(crate) struct Iter<'a, K>(small::Iter<'a, K, ()>);

impl<'a, K> Iterator for Iter<'a, K> {
    type Item = &'a K;

    fn next(&mut self) -> Option<&'a K> {
        self.0.next().map(|(key, ())| key)
    }
}

impl<'a, K> IntoIterator for &'a SmallSet<K> {
    type Item = &'a K;
    type IntoIter = Iter<'a, K>;

    fn into_iter(self) -> Iter<'a, K> {
        self.iter()
    }
}

/// Empties a set in order.
pub(crate) struct IntoIter<K>(small::IntoIter<K, ()>);

impl<K: Ord> Iterator for IntoIter<K> {
    type Item = K;

    fn next(&mut self) -> Option<K> {
        self.0.next().map(|(key, ())| key)
    }
}

impl<K: Ord> IntoIterator for SmallSet<K> {
    type Item = K;
    type IntoIter = IntoIter<K>;

    fn into_iter(self) -> IntoIter<K> {
        IntoIter(self.0.into_iter())
    }
}

impl<K: Ord> Extend<K> for SmallSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<K: Ord> FromIterator<K> for SmallSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::new();
        set.extend(keys);
        set
    }
}

impl<K> Default for SmallSet<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug> fmt::Debug for SmallSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}
