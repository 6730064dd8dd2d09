//! A map whose code is small: the entries in an array, the order in a tree beside it.

use alloc::vec::Vec;
use core::{
    borrow::Borrow,
    cmp::Ordering,
    fmt, mem,
    ops::{Bound, RangeBounds},
};

use super::shape::{NONE, Shape, Side};

/// An ordered map with the methods of the standard library's that are used here.
#[derive(Clone)]
pub struct SmallMap<K, V> {
    entries: Vec<(K, V)>,
    shape: Shape,
}

/// Where a key is, or where it would be.
enum Place {
    At(u32),
    Below(u32, Side),
}

impl<K, V> SmallMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), shape: Shape::new() }
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        let first = self.shape.outermost(self.shape.root(), Side::Left);
        Iter { map: self, at: if self.is_empty() { NONE } else { first } }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Goes through the values in no order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    pub(crate) fn last_key_value(&self) -> Option<(&K, &V)> {
        let last = self.shape.outermost(self.shape.root(), Side::Right);
        self.entry_at(last).map(|(key, value)| (key, value))
    }

    fn entry_at(&self, at: u32) -> Option<&(K, V)> {
        self.entries.get(at as usize)
    }

    /// Takes out an entry. One with two children changes places with the next in order, which lacks one.
    fn take(&mut self, at: u32) -> Option<(K, V)> {
        self.entry_at(at)?;
        let mut at = at;
        let right = self.shape.child(at, Side::Right);
        if self.shape.child(at, Side::Left) != NONE && right != NONE {
            let next = self.shape.outermost(right, Side::Left);
            self.entries.swap(at as usize, next as usize);
            at = next;
        }
        self.shape.detach(at);
        Some(self.entries.swap_remove(at as usize))
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let Place::At(at) = self.find(key) else { return None };
        self.entry_at(at).map(|(_, value)| value)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let Place::At(at) = self.find(key) else { return None };
        self.entries.get_mut(at as usize).map(|(_, value)| value)
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        matches!(self.find(key), Place::At(_))
    }

    /// Puts a value; the key that is there stays.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.entry(key) {
            Entry::Occupied(entry) => Some(mem::replace(entry.into_mut(), value)),
            Entry::Vacant(entry) => {
                entry.insert(value);
                None
            }
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let Place::At(at) = self.find(key) else { return None };
        self.take(at).map(|(_, value)| value)
    }

    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        let first = self.shape.outermost(self.shape.root(), Side::Left);
        self.take(first)
    }

    pub(crate) fn pop_last(&mut self) -> Option<(K, V)> {
        let last = self.shape.outermost(self.shape.root(), Side::Right);
        self.take(last)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    pub(crate) fn into_keys(self) -> impl Iterator<Item = K> {
        self.into_iter().map(|(key, _)| key)
    }

    /// Keeps the entries that are wanted, asked in order.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(&K, &mut V) -> bool) {
        for (key, mut value) in core::mem::take(self) {
            if is_wanted(&key, &mut value) {
                self.insert(key, value);
            }
        }
    }

    /// Goes through the entries of a range in order.
    pub(crate) fn range<R: RangeBounds<K>>(&self, range: R) -> impl Iterator<Item = (&K, &V)> {
        let (mut start, mut at) = (NONE, self.shape.root());
        while let Some((own, _)) = self.entry_at(at) {
            let is_before = match range.start_bound() {
                Bound::Included(first) => own < first,
                Bound::Excluded(before) => own <= before,
                Bound::Unbounded => false,
            };
            if !is_before {
                start = at;
            }
            at = self.shape.child(at, if is_before { Side::Right } else { Side::Left });
        }
        let is_inside = move |key: &K| match range.end_bound() {
            Bound::Included(last) => key <= last,
            Bound::Excluded(end) => key < end,
            Bound::Unbounded => true,
        };
        Iter { map: self, at: start }.take_while(move |(key, _)| is_inside(key))
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.find(&key) {
            Place::At(at) => Entry::Occupied(OccupiedEntry { map: self, at }),
            Place::Below(up, side) => Entry::Vacant(VacantEntry { map: self, key, up, side }),
        }
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Place
    where
        K: Borrow<Q>,
    {
        let mut place = Place::Below(NONE, Side::Left);
        let mut at = self.shape.root();
        while let Some((own, _)) = self.entry_at(at) {
            let side = match key.cmp(own.borrow()) {
                Ordering::Less => Side::Left,
                Ordering::Equal => return Place::At(at),
                Ordering::Greater => Side::Right,
            };
            place = Place::Below(at, side);
            at = self.shape.child(at, side);
        }
        place
    }
}

/// A key's place in a map.
pub(crate) enum Entry<'a, K, V> {
    Occupied(OccupiedEntry<'a, K, V>),
    Vacant(VacantEntry<'a, K, V>),
}

/// A place that holds a value.
pub(crate) struct OccupiedEntry<'a, K, V> {
    map: &'a mut SmallMap<K, V>,
    at: u32,
}

/// A place that holds none.
pub(crate) struct VacantEntry<'a, K, V> {
    map: &'a mut SmallMap<K, V>,
    key: K,
    up: u32,
    side: Side,
}

impl<'a, K, V> OccupiedEntry<'a, K, V> {
    #[expect(clippy::indexing_slicing, reason = "the entry was found here, and the map is held since")]
    pub(crate) fn into_mut(self) -> &'a mut V {
        &mut self.map.entries[self.at as usize].1
    }

    pub(crate) fn get(&self) -> &V {
        #[expect(clippy::indexing_slicing, reason = "the entry was found here, and the map is held since")]
        &self.map.entries[self.at as usize].1
    }
}

impl<K: Ord, V> OccupiedEntry<'_, K, V> {
    #[expect(clippy::indexing_slicing, reason = "the entry was found here, and the map is held since")]
    pub(crate) fn get_mut(&mut self) -> &mut V {
        &mut self.map.entries[self.at as usize].1
    }

    #[expect(clippy::unwrap_used, reason = "the entry was found here, and the map is held since")]
    pub(crate) fn remove(self) -> V {
        self.map.take(self.at).map(|(_, value)| value).unwrap()
    }
}

impl<'a, K, V> VacantEntry<'a, K, V> {
    #[expect(clippy::indexing_slicing, reason = "the entry was pushed in the line before")]
    pub(crate) fn insert(self, value: V) -> &'a mut V {
        let at = self.map.entries.len();
        self.map.entries.push((self.key, value));
        self.map.shape.attach(self.up, self.side);
        &mut self.map.entries[at].1
    }
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    pub(crate) fn and_modify(self, modify: impl FnOnce(&mut V)) -> Self {
        match self {
            Self::Occupied(mut entry) => {
                modify(entry.get_mut());
                Self::Occupied(entry)
            }
            vacant @ Self::Vacant(_) => vacant,
        }
    }

    pub(crate) fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    pub(crate) fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub(crate) fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

/// Goes through a map in order.
pub struct Iter<'a, K, V> {
    map: &'a SmallMap<K, V>,
    at: u32,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.map.entry_at(self.at)?;
        self.at = self.map.shape.next(self.at);
        Some((key, value))
    }
}

impl<'a, K, V> IntoIterator for &'a SmallMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

/// Empties a map in order.
pub struct IntoIter<K, V>(SmallMap<K, V>);

impl<K: Ord, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        self.0.pop_first()
    }
}

impl<K: Ord, V> IntoIterator for SmallMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter(self)
    }
}

impl<K: Ord, V> Extend<(K, V)> for SmallMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SmallMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SmallMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for SmallMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SmallMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
