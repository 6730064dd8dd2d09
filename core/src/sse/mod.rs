//! `text/event-stream` both ways: events written, and read from a stream that is cut anywhere.

mod decode;
mod encode;

pub use decode::{Decoder, Event};
pub use encode::{push_comment, push_data, push_event, push_retry};
