//! State that a client keeps for us and must not change (2026-07-28 `basic/patterns/mrtr`).

use alloc::{string::String, vec::Vec};
use core::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

/// The secret that proves state to be ours. Servers that share it can go on with each other's requests; they
/// must then share the origin of their ticks too.
#[derive(Clone, PartialEq, Eq)]
pub struct StateKey([u8; 32]);

impl StateKey {
    /// Takes 32 random bytes.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Returns the text that carries a state and its proof.
    pub(super) fn seal(&self, state: &str) -> String {
        let mut sealed = BASE64.encode(state);
        let proof = self.mac(sealed.as_bytes()).finalize().into_bytes();
        sealed.push('.');
        BASE64.encode_string(proof, &mut sealed);
        sealed
    }

    /// Returns the state of a text that [`seal`](Self::seal) made, `None` for any other.
    pub(super) fn open(&self, sealed: &str) -> Option<String> {
        let (state, proof) = sealed.split_once('.')?;
        let proof: Vec<u8> = BASE64.decode(proof).ok()?;
        self.mac(state.as_bytes()).verify_slice(&proof).ok()?;
        String::from_utf8(BASE64.decode(state).ok()?).ok()
    }

    fn mac(&self, text: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key");
        mac.update(text);
        mac
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_with_the_key_opens() {
        let key = StateKey::new([7; 32]);
        let sealed = key.seal("{\"é\":1}");
        assert_eq!(key.open(&sealed).as_deref(), Some("{\"é\":1}"));
        assert_eq!(StateKey::new([8; 32]).open(&sealed), None);
        for at in 0..sealed.len() {
            let mut forged = sealed.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(key.open(core::str::from_utf8(&forged).unwrap()), None, "byte {at}");
            assert_eq!(key.open(&sealed[..at]), None, "cut at {at}");
        }
    }
}
