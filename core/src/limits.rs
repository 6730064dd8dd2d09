//! Every bound on what a peer can make the engine keep, with its default and its worst case.

/// Bounds on what a peer can make the engine keep or do.
///
/// A bound of zero lets nothing through; no bound is needed for the engine to be correct.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line or body of one message, in bytes before the line end, both ways. Default 16 MiB.
    ///
    /// Worst case kept: one such message while it arrives.
    pub max_message_bytes: usize,
    /// Requests of ours that wait for their answers at the same time. Default 1,024.
    ///
    /// Worst case kept: this many entries of less than 300 bytes, listings apart.
    pub max_calls_in_flight: usize,
    /// Pages of one listing. Default 64.
    pub max_pages: usize,
    /// All pages of one listing together, in bytes. Default 64 MiB.
    ///
    /// Worst case kept: this much text for each listing in flight.
    pub max_listing_bytes: usize,
    /// What the listed tools say of their calls, together: names and schemas, in bytes of text, and 1,024 for
    /// each tool. Tools beyond it are not checked. Default 4 MiB.
    ///
    /// Worst case kept: 30 times as much, once every tool was called.
    pub max_schema_bytes: usize,
    /// Rounds in which a server may ask before it completes one call (2026-07-28). Default 10.
    ///
    /// Worst case kept: for each call in flight, its parameters and one round of answers.
    pub max_rounds: usize,
    /// Streams of notifications that are open at the same time (2026-07-28). Default 64.
    ///
    /// Worst case kept: this many filters, each as long as the application made it.
    pub max_listens: usize,
    /// Results that are kept for as long as the server says they stay fresh (2026-07-28), in bytes. Default
    /// 8 MiB.
    pub max_cache_bytes: usize,
    /// Requests of the peer that wait for the application at the same time. Default 64.
    ///
    /// Worst case kept: this many ids and parameters, each at most one message long.
    pub max_asks: usize,
    /// Requests of all clients of a server that its application works on at the same time. Default 512.
    ///
    /// Clients that share an address or a user have together at most three times what is left for everybody
    /// else, alone three quarters of all, and one in sixteen is for clients that were answered before.
    pub max_running: usize,
    /// Those of one client: of a session, or of a connection, and at most three times what those that share its
    /// address or user could still have. Default 32.
    pub max_running_per_client: usize,
    /// Requests of all clients that wait for their turn; those that share an address or a user have together at
    /// most three times what is left. Default 16,384.
    ///
    /// Worst case kept: this many entries of less than 1 KiB, and `max_call_bytes`.
    pub max_queued: usize,
    /// Those of one client, a session or a connection. Default 1,024.
    pub max_queued_per_client: usize,
    /// What is kept for the requests of all clients: their parameters, and the answers of batches that are not
    /// complete, in bytes. Those that share an address or a user have at most three times what is left then, and
    /// each of them as much as is left to them; a 65,536th is anybody's. Default 64 MiB.
    pub max_call_bytes: usize,
    /// What a client keeps for such a request, and what it answers at once, in bytes. Default 256 KiB.
    pub max_state_bytes: usize,
    /// Streams that a client listens on, and resources that it watches on each. Default 1,024.
    pub max_subscriptions: usize,
    /// The longest URI that a client may watch, in bytes. Default 8 KiB.
    pub max_uri_bytes: usize,
    /// The longest id of a peer's request, in bytes. Default 1,024.
    pub max_id_bytes: usize,
    /// The longest method of a peer's request, in bytes. Default 1,024.
    pub max_method_bytes: usize,
    /// Messages that come as one (2025-03-26). Default 10,000.
    pub max_batch_messages: usize,
    /// Lines that are not messages, in one session. Default 100,000.
    pub max_stray_lines: usize,
    /// The bytes of such lines, in one session. Default 256 MiB.
    pub max_stray_bytes: usize,
    /// The bytes of such lines that are kept to be shown. Default 64 KiB.
    pub max_stray_kept_bytes: usize,
    /// The newest bytes of the peer's diagnostic stream that are kept to be shown. Default 256 KiB.
    pub max_stderr_kept_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_bytes: 16 << 20,
            max_calls_in_flight: 1_024,
            max_pages: 64,
            max_listing_bytes: 64 << 20,
            max_schema_bytes: 4 << 20,
            max_rounds: 10,
            max_listens: 64,
            max_cache_bytes: 8 << 20,
            max_asks: 64,
            max_running: 512,
            max_running_per_client: 32,
            max_queued: 16_384,
            max_queued_per_client: 1_024,
            max_call_bytes: 64 << 20,
            max_state_bytes: 256 << 10,
            max_subscriptions: 1_024,
            max_uri_bytes: 8 << 10,
            max_id_bytes: 1_024,
            max_method_bytes: 1_024,
            max_batch_messages: 10_000,
            max_stray_lines: 100_000,
            max_stray_bytes: 256 << 20,
            max_stray_kept_bytes: 64 << 10,
            max_stderr_kept_bytes: 256 << 10,
        }
    }
}
