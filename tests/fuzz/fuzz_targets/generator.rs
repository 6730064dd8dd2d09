//! Fuzzes `selvedge_tests::fuzz::generator`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| selvedge_tests::fuzz::generator(data));
