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
    /// each tool. Tools beyond it are not checked. Default 8 MiB.
    ///
    /// Worst case kept: 30 times as much, once every tool was called.
    pub max_schema_bytes: usize,
    /// Requests of the peer that wait for the application at the same time. Default 64.
    ///
    /// Worst case kept: this many ids and parameters, each at most one message long.
    pub max_asks: usize,
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
            max_listing_bytes: 68 << 20,
            max_schema_bytes: 4 << 20,
            max_asks: 64,
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
