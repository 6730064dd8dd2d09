//! One line, on both sides, beside a model of the envelope.

use std::fmt;

use selvedge_core::{
    Server, ServerConfig, Tick,
    client::{Effect, Event},
    json::RawJson,
    server::{ServerEffect, ServerEvent},
};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    World, line,
    world::{changed, to_line},
};

const MAX_TEXT: usize = 1_024;

pub(super) fn check(data: &[u8]) {
    let line: Vec<u8> = data.iter().copied().filter(|byte| *byte != b'\n').collect();
    let model = Model::of(&line);
    client(&line, &model);
    server(&line, &model);
}

/// What a line is, as far as the model knows.
#[derive(Debug, PartialEq, Eq)]
enum Model {
    /// Answered exactly once, under this id.
    Request { id: String, is_ping: bool },
    /// Not answered.
    Notification,
    /// Ends the call that waits under this id.
    Response(u64),
    /// Anything else: answered at most once.
    Other,
    /// Not modelled: several messages, duplicates, or beyond a limit.
    Unknown,
}

impl Model {
    fn of(line: &[u8]) -> Self {
        if is_header(line) {
            return Self::Unknown;
        }
        let Ok(members) = serde_json::from_slice::<Members>(line) else {
            let is_batch = line.trim_ascii_start().starts_with(b"[");
            return if is_batch || has_odd_names(line) { Self::Unknown } else { Self::Other };
        };
        if members.has_duplicates() {
            return Self::Unknown;
        }
        let (id, method) = (members.get("id"), members.get("method").map(string));
        let is_plain =
            members.get("params").is_none_or(|params| params.starts_with('{') && !repeats_names(params));
        let is_id =
            id.is_some_and(|id| id.starts_with(['"', '-']) || id.starts_with(|c: char| c.is_ascii_digit()));
        match (id, method) {
            (Some(id), Some(Some(method))) if is_id => {
                let is_short = id.len() <= MAX_TEXT && method.len() <= MAX_TEXT;
                Self::Request { id: id.to_owned(), is_ping: method == "ping" && is_plain && is_short }
            }
            (Some(_), Some(_)) | (None, Some(None)) => Self::Other,
            (None, Some(Some(_))) => Self::Notification,
            (id, None) => {
                let answers = members.get("result").is_some() || members.get("error").is_some();
                match id.and_then(|id| id.parse().ok()).filter(|_| answers) {
                    Some(id) => Self::Response(id),
                    None => Self::Unknown,
                }
            }
        }
    }
}

/// A line that may announce a body instead of being a message.
fn is_header(line: &[u8]) -> bool {
    line.get(..8).is_some_and(|head| head.eq_ignore_ascii_case(b"content-"))
}

/// A name that `serde_json` cannot read, though the text is JSON.
fn has_odd_names(line: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(line).is_ok()
}

/// Returns whether two members of an object have one name, at any depth.
fn repeats_names(text: &str) -> bool {
    if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
        return elements.iter().any(|element| repeats_names(element.get()));
    }
    // A name that cannot be read may be any.
    let Ok(members) = serde_json::from_str::<Members>(text) else { return text.starts_with('{') };
    members.has_duplicates() || members.0.iter().any(|(_, value)| repeats_names(value.get()))
}

fn string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

fn client(line: &[u8], model: &Model) {
    let mut world = World::ready_with(changed(|config| config.offers.roots = true));
    let calls = [world.call("t", "{}"), world.call("t", "{}")];
    world.take_effects();
    world.peer(line);
    let effects = world.take_effects();
    let sent: Vec<String> = effects
        .iter()
        .filter_map(|effect| if let Effect::Send(bytes) = effect { Some(to_line(bytes)) } else { None })
        .collect();
    let count = |wanted: fn(&Event) -> bool| {
        effects.iter().filter(|effect| matches!(effect, Effect::Event(event) if wanted(event))).count()
    };
    let settled = count(|event| matches!(event, Event::Settled { .. }));
    let asked = count(|event| matches!(event, Event::Asked { .. }));
    let shown = line.escape_ascii();
    match model {
        Model::Request { id, is_ping } => {
            assert_eq!((sent.len() + asked, settled), (1, 0), "{shown}");
            assert!(sent.iter().all(|sent| is_reply(sent, id, *is_ping)), "{shown}: {sent:?}");
        }
        Model::Response(id) => {
            let waits = calls.iter().any(|call| call.as_u64() == *id);
            assert_eq!((sent.len(), settled), (0, usize::from(waits)), "{shown}");
        }
        Model::Notification => assert_eq!((sent.len(), settled), (0, 0), "{shown}"),
        Model::Other => assert!(sent.len() + settled <= 1, "{shown}: {sent:?}"),
        Model::Unknown => assert!(settled <= 2, "{shown}"),
    }
    world.pass_millis(60_000);
    let late = world.take_events().iter().filter(|event| matches!(event, Event::Settled { .. })).count();
    assert_eq!(settled + late, 2, "{shown}");
    if !is_header(line) {
        world.assert_lives();
    }
}

fn server(bytes: &[u8], model: &Model) {
    let mut config = ServerConfig::default();
    config.tools.extend(RawJson::new(r#"{"name":"t","inputSchema":{}}"#));
    let mut server = Server::new(config);
    let hello = line::request("1", "initialize", r#"{"protocolVersion":"2025-03-26"}"#) + "\n";
    server.handle_bytes(Tick::ZERO, hello.as_bytes());
    while server.poll_effect().is_some() {}
    server.handle_bytes(Tick::ZERO, bytes);
    server.handle_bytes(Tick::ZERO, b"\n");
    let (mut sent, mut called) = (Vec::new(), 0);
    while let Some(effect) = server.poll_effect() {
        match effect {
            ServerEffect::Send(bytes) => sent.push(to_line(&bytes)),
            ServerEffect::Event(ServerEvent::Requested { .. }) => called += 1,
            ServerEffect::Event(_) => {}
        }
    }
    let shown = bytes.escape_ascii();
    match model {
        Model::Request { id, is_ping } => {
            assert_eq!(sent.len() + called, 1, "{shown}");
            assert!(sent.iter().all(|sent| is_reply(sent, id, *is_ping)), "{shown}: {sent:?}");
        }
        Model::Notification | Model::Response(_) => assert_eq!(sent.len() + called, 0, "{shown}"),
        Model::Other => assert!(sent.len() <= 1, "{shown}: {sent:?}"),
        Model::Unknown => {}
    }
}

fn is_reply(sent: &str, id: &str, is_ping: bool) -> bool {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
    sent.strip_prefix(&head).is_some_and(|rest| rest == "\"result\":{}}" || !is_ping)
}

/// The members of an object in their order, duplicates included.
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.get())
    }

    fn has_duplicates(&self) -> bool {
        let mut names: Vec<_> = self.0.iter().map(|(name, _)| name).collect();
        names.sort();
        names.windows(2).any(|pair| pair.first() == pair.last())
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Walk)
    }
}
