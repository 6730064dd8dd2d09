//! Who is to blame: `Violation` for the peer, `Misuse` for the application.

#[cfg(feature = "checks")]
use alloc::boxed::Box;
use alloc::string::String;
use core::{fmt, time::Duration};

#[cfg(feature = "checks")]
use crate::validate::Mismatch;
use crate::{
    json::{Shown, SyntaxError},
    jsonrpc::{Fault, Oddities, code},
    protocol::Revision,
};

/// Something that the peer did against the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A line is not JSON.
    #[error("{0}")]
    NotJson(SyntaxError),
    /// A line is text, not an attempt at JSON: a banner, a log line.
    #[error("a line of {bytes} bytes is text, not a message")]
    Text {
        /// The length of the line.
        bytes: usize,
    },
    /// A line goes on behind the message that it begins with.
    #[error("a message is followed by more on its line, from column {}", .at + 1)]
    JoinedLine {
        /// The offset in bytes of what follows.
        at: usize,
    },
    /// A line is one of several that hold one JSON value.
    #[error("multi-line JSON: every message must stand on one line")]
    MultiLineJson,
    /// A line is encoded in UTF-16.
    #[error("a line is UTF-16: the protocol is UTF-8")]
    Utf16,
    /// A line is not UTF-8.
    #[error("invalid UTF-8 after byte {valid_up_to}")]
    NotUtf8 {
        /// How many bytes of the line are good.
        valid_up_to: usize,
    },
    /// A line is JSON, but no message.
    #[error("not a JSON-RPC message: {0}")]
    NotJsonRpc(Fault),
    /// A request of the peer is no message.
    #[error("not a JSON-RPC request: {0}")]
    BadRequest(Fault),
    /// A message holds what the standard forbids beside what it demands.
    #[error("{}", OddEnvelope(*.0))]
    OddEnvelope(Oddities),
    /// A message is longer than the limit.
    #[error("message exceeds {limit} bytes")]
    TooLarge {
        /// The limit that it broke.
        limit: usize,
    },
    /// A header block announces no message.
    #[error("a header block of {bytes} bytes announces no message")]
    BadHeader {
        /// The length of the block.
        bytes: usize,
    },
    /// Several messages came as one, which the negotiated revision does not know.
    #[error("a batch of {messages} messages: the revision knows none")]
    Batch {
        /// How many messages it held.
        messages: usize,
    },
    /// More messages came as one than may.
    #[error("a batch of {messages} messages exceeds {limit}")]
    BatchTooLong {
        /// How many messages it held.
        messages: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// A response carries an id that no waiting request has: it is late, doubled, or was never asked for.
    #[error("response to no waiting request")]
    UnknownResponse,
    /// A response spells our id otherwise than we did.
    #[error("response spells id {id} otherwise than it was sent")]
    RespelledId {
        /// The id.
        id: u64,
    },
    /// The peer asks for something that was not offered.
    #[error("request for a method that was not offered")]
    MethodNotOffered,
    /// The peer's request has a method of absurd length.
    #[error("method of {bytes} bytes exceeds {limit} bytes")]
    MethodTooLong {
        /// The length of the method.
        bytes: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// The peer's request has an id of absurd length.
    #[error("id of {bytes} bytes exceeds {limit} bytes")]
    IdTooLong {
        /// The length of the id.
        bytes: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// The peer's request has parameters that are no object.
    #[error("parameters must be an object")]
    BadParams,
    /// The peer's parameters or answer hold a name twice, and readers disagree on which of the two counts.
    #[error("`{}` stands there twice", Shown(.pointer))]
    DuplicateName {
        /// The JSON pointer to it within the message.
        pointer: String,
    },
    /// The peer's request has the id of another that is still under way.
    #[error("id of a request that is under way")]
    IdInUse,
    /// The peer asks in a way that was not offered: by URL, or with tools for the model.
    #[error("request in a way that was not offered")]
    WayNotOffered,
    /// A server makes a request in a revision where only clients do.
    #[error("a request of the server, which its revision does not allow")]
    RequestOfServer,
    /// A server answers a request with questions where its revision allows none.
    #[error("questions in the answer to `{method}`, which allows none")]
    QuestionsNotAllowed {
        /// The method.
        method: &'static str,
    },
    /// A server tells of something that nobody wanted to be told of.
    #[error("`{method}`, which was not asked for")]
    NotListenedFor {
        /// The method.
        method: &'static str,
    },
    /// A server tells of something before it has acknowledged that it will.
    #[error("`{method}` before its subscription was acknowledged")]
    NotAcknowledged {
        /// The method.
        method: &'static str,
    },
    /// The peer waits for more answers of the application than it may.
    #[error("more than {limit} requests wait for the application")]
    TooManyAsks {
        /// The limit that it broke.
        limit: usize,
    },
    /// The peer wants to be told of more than it may.
    #[error("more than {limit} subscriptions")]
    TooManySubscriptions {
        /// The limit that it broke.
        limit: usize,
    },
    /// A notification does not have the shape that its method demands.
    #[error("malformed `{method}` notification")]
    BadNotification {
        /// The method.
        method: &'static str,
    },
    /// A page of a listing has a cursor that is no string; the listing ends with it.
    #[error("`nextCursor` must be a string")]
    BadCursor,
    /// Entries of a listing have the key of an earlier one, which stays.
    #[error("{count} of the `{list}` have the `{key}` of an earlier one")]
    RepeatedEntries {
        /// How many.
        count: usize,
        /// The member that holds the entries.
        list: &'static str,
        /// The member that tells entries apart.
        key: &'static str,
    },
    /// A list changes again as soon as it was told that it has changed; it is told less and less often.
    #[error("`{method}` without an end: the change is told every {} s at most", .interval.as_secs())]
    EndlessChanges {
        /// The notification.
        method: &'static str,
        /// The time between two changes that are told.
        interval: Duration,
    },
    /// Progress does not rise, is negative, or is beyond every number: it is no sign of life.
    #[error("progress must rise from one notification to the next")]
    ProgressNotRising,
    /// The server's output repeats a message that it was sent, as a terminal does.
    #[error("the output repeats what was sent: a terminal echoes it (drop `-t`), or no server reads it")]
    Echoed,
    /// The handshake's result has the wrong shape somewhere, which does not matter for the session.
    #[error("`{member}` of the handshake must be {expected}")]
    OddHandshake {
        /// The member.
        member: &'static str,
        /// What it should have been.
        expected: &'static str,
    },
    /// More lines came that are no messages than a session may have.
    #[error("more than {limit} lines are not messages")]
    TooManyStrayLines {
        /// The limit that it broke.
        limit: usize,
    },
    /// More bytes came that are no messages than a session may have.
    #[error("more than {limit} bytes are not messages")]
    TooManyStrayBytes {
        /// The limit that it broke.
        limit: usize,
    },
}

/// Says what is odd about an envelope.
struct OddEnvelope(Oddities);

impl fmt::Display for OddEnvelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Oddities { wrong_version, null_beside, duplicate, .. } = self.0;
        if let Some(member) = duplicate {
            return write!(f, "the member `{member}` stands there twice: the first one counts");
        }
        f.write_str(if wrong_version {
            "`jsonrpc` must be \"2.0\""
        } else if null_beside {
            "`result` and `error` are both there"
        } else {
            "a member that should be absent is null"
        })
    }
}

/// What follows from a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The peer is answered with this code, where its message can be answered.
    Reply(i64),
    /// Nothing is sent; the session goes on.
    Ignore,
    /// The session ends.
    Close,
}

/// How a client takes output that is not the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tolerance {
    /// Such output is counted, sampled and reported; it never ends the session before the limits do.
    #[default]
    Tolerant,
    /// The first such line ends the session, and the first malformed entry fails its listing.
    Strict,
}

impl Violation {
    /// Returns what follows from this violation; the only place that decides.
    pub const fn verdict(&self, tolerance: Tolerance) -> Verdict {
        match self {
            Self::TooManyStrayLines { .. } | Self::TooManyStrayBytes { .. } => Verdict::Close,
            Self::MethodNotOffered => Verdict::Reply(code::METHOD_NOT_FOUND),
            Self::BadRequest(_) if matches!(tolerance, Tolerance::Strict) => Verdict::Close,
            Self::BadRequest(_) | Self::MethodTooLong { .. } | Self::IdTooLong { .. } | Self::IdInUse => {
                Verdict::Reply(code::INVALID_REQUEST)
            }
            Self::BadParams | Self::DuplicateName { .. } | Self::WayNotOffered => {
                Verdict::Reply(code::INVALID_PARAMS)
            }
            Self::TooManyAsks { .. } | Self::TooManySubscriptions { .. } => {
                Verdict::Reply(code::INTERNAL_ERROR)
            }
            Self::UnknownResponse
            | Self::RequestOfServer
            | Self::QuestionsNotAllowed { .. }
            | Self::NotListenedFor { .. }
            | Self::NotAcknowledged { .. }
            | Self::BadNotification { .. }
            | Self::BadCursor
            | Self::RepeatedEntries { .. }
            | Self::EndlessChanges { .. }
            | Self::ProgressNotRising
            | Self::OddHandshake { .. } => Verdict::Ignore,
            Self::NotJson(_)
            | Self::Text { .. }
            | Self::JoinedLine { .. }
            | Self::Echoed
            | Self::MultiLineJson
            | Self::Utf16
            | Self::NotUtf8 { .. }
            | Self::NotJsonRpc(_)
            | Self::OddEnvelope(_)
            | Self::TooLarge { .. }
            | Self::BadHeader { .. }
            | Self::Batch { .. }
            | Self::BatchTooLong { .. }
            | Self::RespelledId { .. } => match tolerance {
                Tolerance::Tolerant => Verdict::Ignore,
                Tolerance::Strict => Verdict::Close,
            },
        }
    }
}

/// Something that the application did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The command needs a session, and none is there yet.
    #[error("the session is not ready: it is {state}")]
    NotReady {
        /// The state that the session is in.
        state: &'static str,
    },
    /// The session was connected before.
    #[error("a session connects once: it is {state}")]
    AlreadyConnected {
        /// The state that the session is in.
        state: &'static str,
    },
    /// A text that must be JSON is not.
    #[error("{what}: {error}")]
    NotJson {
        /// What the text was meant to be.
        what: &'static str,
        /// Where it stops being JSON.
        error: SyntaxError,
    },
    /// A value that must be an object is not.
    #[error("{what} must be an object")]
    NotAnObject {
        /// What the value was meant to be.
        what: &'static str,
    },
    /// The arguments are not what the tool takes, as it was listed last.
    #[cfg(feature = "checks")]
    #[error("`{}` does not take these arguments: {mismatch}", Shown(.tool))]
    BadArguments {
        /// The tool.
        tool: String,
        /// Where the arguments differ from its schema.
        mismatch: Box<Mismatch>,
    },
    /// `_meta` is given twice, or holds what the engine writes there itself.
    #[error("`_meta` is given twice or holds what is written there anyway")]
    MetaTwice,
    /// The revision that both sides speak does not know what is wanted.
    #[error("{revision} has no {what}")]
    NotInRevision {
        /// What is wanted.
        what: &'static str,
        /// The revision.
        revision: Revision,
    },
    /// There is no such level of log messages.
    #[error("no level of log messages has this name")]
    UnknownLogLevel,
    /// No such stream of notifications is open.
    #[error("no such stream of notifications is open")]
    UnknownListen,
    /// More streams of notifications are open than the limit allows.
    #[error("more than {limit} streams of notifications are open")]
    TooManyListens {
        /// The limit that it broke.
        limit: usize,
    },
    /// The message would be longer than the limit.
    #[error("message of {bytes} bytes exceeds {limit} bytes")]
    TooLarge {
        /// The length of the message.
        bytes: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// More requests wait for their answers than the limit allows.
    #[error("more than {limit} calls are in flight")]
    TooManyCalls {
        /// The limit that it broke.
        limit: usize,
    },
    /// The peer does not wait for this answer: it was given, or the peer withdrew its request.
    #[error("nothing waits for this answer")]
    UnknownAsk,
    /// A number that goes on the wire is infinite or not a number.
    #[error("{what} must be finite")]
    NotFinite {
        /// What the number was meant to be.
        what: &'static str,
    },
    /// A question cannot be put to a client.
    #[error("the client cannot be asked: {why}")]
    CannotAsk {
        /// Why not.
        why: &'static str,
    },
    /// The client of a call could not come back for its answer.
    #[error("the client could not come back to this stream")]
    NotResumable,
    /// An entry of a list has no key, or one that another entry has.
    #[error("every entry of `{list}` must have a `{key}` of its own")]
    UnusableEntry {
        /// The list.
        list: &'static str,
        /// The member that tells entries apart.
        key: &'static str,
    },
}
