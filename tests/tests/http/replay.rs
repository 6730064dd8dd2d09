//! Everything that can happen, at random: the promises that the harness holds the endpoint to are kept.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_clients_do_each_exchange_has_one_head_and_one_end(
        script in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        selvedge_tests::fuzz::http(&script);
    }
}
