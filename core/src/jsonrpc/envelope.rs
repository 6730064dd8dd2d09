//! Classifies a line in the pass that validates it.

use super::{Body, Id, Message, ResponseId, RpcError};
use crate::json::{Decimal, Index, Name, Scanner, Span, SyntaxError, View};

/// Why a JSON value is not a message of JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The value is not an object.
    #[error("a message must be an object")]
    NotAnObject,
    /// A batch holds nothing.
    #[error("a batch must not be empty")]
    EmptyBatch,
    /// One of the members that make up the envelope stands there twice.
    #[error("the member `{0}` stands there twice")]
    DuplicateMember(&'static str),
    /// The method is not a string.
    #[error("`method` must be a string")]
    MethodNotAString,
    /// The id is neither a string nor a number, or the id of a response is no whole number.
    #[error("`id` must be a string or a whole number")]
    BadId,
    /// The response has no id.
    #[error("a response must have an `id`")]
    NoId,
    /// The response holds a result and an error.
    #[error("a response must not hold both `result` and `error`")]
    ResultAndError,
    /// The message holds no method, no result and no error.
    #[error("a message must hold `method`, `result` or `error`")]
    NoContent,
    /// The object does not say that it is a message, and does not look like one: a line of a log, for example.
    #[error("`jsonrpc` must be \"2.0\"")]
    NotVersioned,
}

/// What a message does otherwise than the standard says, without losing its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Oddities {
    /// `jsonrpc` is absent or not `"2.0"`.
    pub wrong_version: bool,
    /// `result` and `error` are both there, and one of them is `null`.
    pub null_beside: bool,
    /// A member that should be absent is there, and `null`.
    pub null_member: bool,
    /// This member of the envelope stands there more than once; the first one counts.
    pub duplicate: Option<&'static str>,
}

impl Oddities {
    /// Returns whether the message is as the standard says.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        !self.wrong_version && !self.null_beside && !self.null_member && self.duplicate.is_none()
    }
}

/// Where the members of an envelope stand.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    /// The value is an object.
    is_object: bool,
    version: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
    /// There are members beside those of an envelope.
    has_others: bool,
    index: Index,
    duplicate: Option<&'static str>,
}

/// What a line holds.
pub(crate) enum Shape<'a> {
    /// One value; its envelope was filled in.
    One,
    /// A batch of several.
    Batch(Batch<'a>),
}

/// The entries of a batch, read one at a time: a short text can hold very many.
pub(crate) struct Batch<'a>(View<'a>);

impl<'a> Batch<'a> {
    pub(crate) fn len(&self) -> usize {
        self.0.elements().count()
    }

    /// Returns the text of each entry.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'a str> {
        self.0.elements().map(View::as_str)
    }

    /// Returns where each entry begins and ends in the text that the batch was read from.
    pub(crate) fn spans(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let first = text.as_ptr().addr();
        self.entries().map(move |entry| {
            let start = entry.as_ptr().addr() - first;
            (start, start + entry.len())
        })
    }
}

/// Validates a whole line and finds the members of its envelope.
pub(crate) fn read<'a>(text: &'a str, envelope: &mut Envelope) -> Result<Shape<'a>, SyntaxError> {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    let shape = if scanner.peek() == Some(b'[') {
        Shape::Batch(Batch(View::trusted(scanner.value()?.of(text))))
    } else {
        entry(text, &mut scanner, envelope)?;
        Shape::One
    };
    scanner.end()?;
    Ok(shape)
}

/// Validates the object that a text begins with, finds the members of its envelope, and returns where it ends.
pub(crate) fn read_first(text: &str, envelope: &mut Envelope) -> Result<usize, SyntaxError> {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    entry(text, &mut scanner, envelope)?;
    Ok(scanner.offset())
}

/// Finds the members of the envelope that an entry of a batch is.
pub(crate) fn read_entry(text: &str) -> Envelope {
    let mut envelope = Envelope::default();
    // The entry was validated with its batch.
    let _ = entry(text, &mut Scanner::new(text), &mut envelope);
    envelope
}

fn entry(text: &str, scanner: &mut Scanner<'_>, envelope: &mut Envelope) -> Result<(), SyntaxError> {
    if scanner.peek() != Some(b'{') {
        return scanner.value().map(|_| ());
    }
    envelope.is_object = true;
    scanner.object(|scanner, name| envelope.member(text, scanner, name)).map(|_| ())
}

impl Envelope {
    /// Returns whether the value is an object.
    pub(crate) const fn is_object(&self) -> bool {
        self.is_object
    }

    /// Returns where the first members of the result stand.
    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// Takes, of several ids of a response, the first one that is waited for.
    pub(crate) fn prefer_id(&mut self, text: &str, is_awaited: impl Fn(u64) -> bool) {
        if self.duplicate != Some("id") || self.method.is_some() {
            return;
        }
        let members = View::trusted(text.trim_ascii()).members();
        let mut ids = members.filter(|(name, _)| name.is("id")).map(|(_, id)| id);
        if let Some(id) = ids.find(|id| response_id(Some(*id)).number().is_some_and(&is_awaited)) {
            let start = id.as_str().as_ptr() as usize - text.as_ptr() as usize;
            self.id = Some(Span { start, end: start + id.as_str().len() });
        }
    }

    /// Returns whether an object that does not name the version of the protocol can be meant as a message: it has
    /// the members of one and no others. Logs in JSON have an `id`, a `method` or an `error` too.
    fn resembles_message(&self, text: &str) -> bool {
        let is_object = |span: Span| span.of(text).starts_with('{');
        !self.has_others
            && (self.method.is_some() || self.result.is_some() || self.error.is_some_and(is_object))
    }

    fn member(&mut self, text: &str, scanner: &mut Scanner<'_>, name: Span) -> Result<(), SyntaxError> {
        let (slot, name) = match &*Name::trusted(name.of(text)).to_str() {
            "jsonrpc" => (&mut self.version, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "error" => (&mut self.error, "error"),
            "result" if self.result.is_none() => {
                self.result = Some(scanner.value_with_index(&mut self.index)?);
                return Ok(());
            }
            "result" => (&mut self.result, "result"),
            _ => {
                self.has_others = true;
                return scanner.value().map(|_| ());
            }
        };
        let value = scanner.value()?;
        if slot.is_some() {
            self.duplicate = self.duplicate.or(Some(name));
        } else {
            *slot = Some(value);
        }
        Ok(())
    }
}

/// A message that is none: why, and the id of the request that it was meant to be, if it shows one.
#[derive(Debug)]
pub(crate) struct Misfit {
    pub(crate) fault: Fault,
    pub(crate) request: Option<Id>,
    /// The id of ours that a response shows all the same.
    pub(crate) response: Option<u64>,
}

impl Misfit {
    pub(crate) const fn new(fault: Fault) -> Self {
        Self { fault, request: None, response: None }
    }
}

/// Says what kind of message an envelope is to a server, which refuses one that holds a member twice: what
/// stands between it and its client may have read the other one.
pub(crate) fn classify_once<'a>(text: &'a str, envelope: &Envelope) -> Result<Message<'a>, Misfit> {
    let classified = classify(text, envelope);
    let Some(name) = envelope.duplicate else { return classified.map(|(message, _)| message) };
    let (request, response) = match classified {
        // Which of two ids the client waits for is open.
        _ if name == "id" => (None, None),
        Ok((Message::Request { id, .. }, _)) => (Some(id), None),
        Ok((Message::Notification { .. }, _)) => (None, None),
        Ok((Message::Response { id, .. }, _)) => (None, id.number()),
        Err(misfit) => (misfit.request, misfit.response),
    };
    Err(Misfit { fault: Fault::DuplicateMember(name), request, response })
}

/// Says what kind of message an envelope is; of members that stand there twice, the first one counts.
pub(crate) fn classify<'a>(text: &'a str, envelope: &Envelope) -> Result<(Message<'a>, Oddities), Misfit> {
    if !envelope.is_object {
        return Err(Misfit::new(Fault::NotAnObject));
    }
    let at = |span: Span| View::trusted(span.of(text));
    let id = envelope.id.map(at);
    let wrong_version = !envelope.version.is_some_and(|version| at(version).is_str("2.0"));
    if wrong_version && !envelope.resembles_message(text) {
        let request = envelope.method.and(id).and_then(Id::read);
        return Err(Misfit { fault: Fault::NotVersioned, request, response: None });
    }
    let duplicate = envelope.duplicate;
    let mut oddities = Oddities { wrong_version, null_beside: false, null_member: false, duplicate };
    // Some serializers write every member of their envelope, with `null` for what is absent.
    let mut filled = |member: Option<Span>| {
        let member = member.map(at);
        oddities.null_member |= member.is_some_and(View::is_null);
        member.filter(|view| !view.is_null())
    };
    let (method, params) = (filled(envelope.method), filled(envelope.params));
    let message = match method {
        Some(method) => called(method, id, params, &mut oddities)?,
        None => answered(text, envelope, id, &mut oddities)?,
    };
    Ok((message, oddities))
}

fn called<'a>(
    method: View<'a>,
    id: Option<View<'a>>,
    params: Option<View<'a>>,
    oddities: &mut Oddities,
) -> Result<Message<'a>, Misfit> {
    let request = id.and_then(Id::read);
    let Some(method) = method.to_str() else {
        return Err(Misfit { fault: Fault::MethodNotAString, request, response: None });
    };
    if id.is_some_and(View::is_null) && method.starts_with("notifications/") {
        oddities.null_member = true;
        return Ok(Message::Notification { method, params });
    }
    match (id, request) {
        (None, _) => Ok(Message::Notification { method, params }),
        (Some(_), Some(id)) => Ok(Message::Request { id, method, params }),
        (Some(_), None) => Err(Misfit::new(Fault::BadId)),
    }
}

fn answered<'a>(
    text: &'a str,
    envelope: &Envelope,
    id: Option<View<'a>>,
    oddities: &mut Oddities,
) -> Result<Message<'a>, Misfit> {
    let error = envelope.error.map(|span| View::trusted(span.of(text)));
    let result = envelope.result;
    let result_is_null = result.is_some_and(|span| span.of(text) == "null");
    let body = match (result, error) {
        (Some(_), Some(error)) if !error.is_null() && !result_is_null => Body::Faulty(Fault::ResultAndError),
        (Some(span), error) if error.is_none_or(View::is_null) => {
            oddities.null_beside = error.is_some();
            Body::Result { span }
        }
        (_, Some(error)) if !error.is_null() => {
            oddities.null_beside = result.is_some();
            Body::Error(RpcError::read(error))
        }
        _ => Body::Faulty(Fault::NoContent),
    };
    if id.is_some_and(|id| !may_be_id(id)) {
        return Err(Misfit::new(Fault::BadId));
    }
    match (response_id(id), &body) {
        (ResponseId::Unknown, Body::Result { .. }) => Err(Misfit::new(Fault::NoId)),
        (ResponseId::Unknown | ResponseId::Foreign, Body::Faulty(fault)) => Err(Misfit::new(*fault)),
        (id, _) => Ok(Message::Response { id, body }),
    }
}

/// Returns whether a value can stand for an id in a response: a string, a whole number, or `null`.
fn may_be_id(id: View<'_>) -> bool {
    id.is_null()
        || id.to_str().is_some()
        || id.as_number().and_then(Decimal::new).is_some_and(Decimal::is_whole)
}

fn response_id(id: Option<View<'_>>) -> ResponseId {
    let Some(id) = id else { return ResponseId::Unknown };
    if id.is_null() {
        return ResponseId::Unknown;
    }
    // A leading `+` or zero cannot stand in a JSON number, so this spelling is the one we mint.
    if let Some(minted) = id.as_number().and_then(|digits| digits.parse().ok()) {
        return ResponseId::Minted(minted);
    }
    respelled(id).map_or(ResponseId::Foreign, ResponseId::Respelled)
}

/// Reads `"7"`, `7.0`, `"7.0"` or `70e-1` as 7: servers that keep ids as strings or floats answer so.
fn respelled(id: View<'_>) -> Option<u64> {
    let content = id.to_str();
    Decimal::new(content.as_deref().or_else(|| id.as_number())?)?.to_u64()
}
