//! Numbers that stand in JavaScript for what the core keeps opaque.

use wasm_bindgen::JsValue;

/// What is under way, by number. The core's limits bound how much that is.
#[derive(Debug)]
pub struct Handles<K> {
    last: u32,
    under_way: Vec<(u32, K)>,
}

impl<K> Default for Handles<K> {
    fn default() -> Self {
        Self { last: 0, under_way: Vec::new() }
    }
}

impl<K: Clone + PartialEq> Handles<K> {
    /// Gives something a number that nothing else under way has.
    pub(crate) fn give(&mut self, key: &K) -> f64 {
        if let Some((number, _)) = self.under_way.iter().find(|(_, known)| known == key) {
            return f64::from(*number);
        }
        self.last = self.last.wrapping_add(1);
        self.under_way.push((self.last, key.clone()));
        f64::from(self.last)
    }

    /// Returns what a number stands for.
    pub(crate) fn get(&self, number: f64) -> Option<&K> {
        self.under_way
            .iter()
            .find(|(known, _)| f64::from(*known).to_bits() == number.to_bits())
            .map(|(_, key)| key)
    }

    /// Ends what has a number and returns the number.
    pub(crate) fn end(&mut self, key: &K) -> Option<JsValue> {
        let at = self.under_way.iter().position(|(_, known)| known == key)?;
        Some(JsValue::from(self.under_way.remove(at).0))
    }
}
