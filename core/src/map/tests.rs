use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use super::{
    set::SmallSet,
    small::{Entry, SmallMap},
};

/// A generator of numbers that look random and are the same every time.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn a_small_map_does_what_the_standard_one_does() {
    for seed in 0..50 {
        let mut next = numbers(seed);
        let (mut small, mut standard) = (SmallMap::new(), BTreeMap::new());
        for step in 0..2_000_u64 {
            let key = next(1 + 20 * (seed + 1));
            match next(6) {
                0 | 1 => assert_eq!(small.insert(key, step), standard.insert(key, step)),
                2 => assert_eq!(small.remove(&key), standard.remove(&key)),
                3 => assert_eq!(small.get(&key), standard.get(&key)),
                4 => {
                    *small.entry(key).or_default() +=
                        *standard.entry(key).and_modify(|v| *v += 1).or_insert(1);
                }
                _ if step % 7 == 0 => assert_eq!(small.pop_first(), standard.pop_first()),
                _ => assert_eq!(small.contains_key(&key), standard.contains_key(&key)),
            }
            if let Some(value) = small.get_mut(&key) {
                *value = standard[&key];
            }
            assert_eq!((small.len(), small.first_key_value()), (standard.len(), standard.first_key_value()));
        }
        assert!(small.iter().eq(standard.iter()), "seed {seed}");
        let (from, to) = (next(500), 500 + next(500));
        assert!(small.range(from..).eq(standard.range(from..)), "seed {seed}");
        assert!(small.range(from..to).eq(standard.range(from..to)), "seed {seed}");
        assert!(small.range(..=from).eq(standard.range(..=from)), "seed {seed}");
        assert!(small.into_iter().eq(standard), "seed {seed}");
    }
}

#[test]
fn keys_in_order_make_no_long_path() {
    let started = (0..100_000_u32).map(|key| (key, ())).collect::<SmallMap<_, _>>();
    assert!(started.keys().copied().eq(0..100_000));
    let backwards = (0..100_000_u32).rev().collect::<SmallSet<_>>();
    assert!(backwards.into_iter().eq(0..100_000));
}

#[test]
fn a_key_that_is_there_stays_and_an_entry_says_which_it_is() {
    let mut map = SmallMap::from_iter([("a", 1), ("b", 2), ("a", 3)]);
    assert_eq!(map.iter().collect::<Vec<_>>(), [(&"a", &3), (&"b", &2)]);
    assert!(matches!(map.entry("a"), Entry::Occupied(entry) if *entry.get() == 3));
    assert!(matches!(map.entry("c"), Entry::Vacant(_)));
    assert_eq!(map, SmallMap::from_iter([("b", 2), ("a", 3)]));
    assert_ne!(map, SmallMap::from_iter([("b", 2)]));
    assert_eq!(alloc::format!("{map:?}"), r#"{"a": 3, "b": 2}"#);
    assert_eq!(map.values().sum::<i32>(), 5);
    map.values_mut().for_each(|value| *value += 1);
    map.entry("b").and_modify(|value| *value *= 10);
    map.entry("c").and_modify(|value| *value *= 10).or_insert(7);
    assert_eq!((map.first_key_value(), map.last_key_value()), (Some((&"a", &4)), Some((&"c", &7))));
    assert_eq!(map.pop_last(), Some(("c", 7)));
    map.retain(|key, value| *key == "b" && *value == 30);
    assert_eq!(map.clone().into_keys().collect::<Vec<_>>(), ["b"]);
    let Entry::Occupied(entry) = map.entry("b") else { panic!("`b` is there") };
    assert_eq!(entry.remove(), 30);
    assert_eq!(map.into_values().count(), 0);
}

#[test]
fn a_small_set_does_what_the_standard_one_does() {
    let mut next = numbers(7);
    let (mut small, mut standard) = (SmallSet::default(), BTreeSet::new());
    for _ in 0..5_000 {
        let key = next(300);
        match next(3) {
            0 => assert_eq!(small.insert(key), standard.insert(key)),
            1 => assert_eq!(small.remove(&key), standard.remove(&key)),
            _ => assert_eq!(small.contains(&key), standard.contains(&key)),
        }
        assert_eq!(
            (small.first(), small.last(), small.is_empty(), small.len()),
            (standard.first(), standard.last(), standard.is_empty(), standard.len())
        );
    }
    assert!(small.iter().eq(standard.iter()));
    assert_eq!(alloc::format!("{small:?}"), alloc::format!("{standard:?}"));
    small.retain(|key| key % 2 == 0);
    standard.retain(|key| key % 2 == 0);
    assert_eq!((small.pop_first(), small.pop_last()), (standard.pop_first(), standard.pop_last()));
    assert!(small.iter().eq(standard.iter()));
    small.clear();
    assert!(small.is_empty());
}
