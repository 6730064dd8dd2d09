//! What nobody can guess.

use std::io;

/// Returns random bytes of the system: for keys of states, seeds of session ids, marks of processes, names of files.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}
