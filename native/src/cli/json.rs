//! Documents that keep the words of servers.

use selvedge::core::{
    json::View,
    protocol::{Listing, Quarantined},
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

/// JSON of a server, to be written as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verbatim<'a>(pub(super) View<'a>);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0.as_str()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// An entry of a listing that cannot be used.
#[derive(Debug, Serialize)]
pub(super) struct Unusable<'a> {
    index: usize,
    name: Option<&'a str>,
    reason: &'a str,
}

impl<'a> From<&'a Quarantined> for Unusable<'a> {
    fn from(entry: &'a Quarantined) -> Self {
        Self { index: entry.index, name: entry.name.as_deref(), reason: &entry.reason }
    }
}

/// Returns the entries of a listing that cannot be used.
pub(super) fn unusable<T>(listing: &Listing<T>) -> Vec<Unusable<'_>> {
    listing.quarantined.iter().map(Unusable::from).collect()
}
