//! The test harness of Selvedge.
