//! Fuzzes `selvedge_tests::fuzz::http`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| selvedge_tests::fuzz::http(data));
