//! The command line of Selvedge.
fn main() {}
