//! `selvedge read`.

use super::{Exit, Failure, Session, content::blob, json::Verbatim, output::DIM, text::one_line};

/// Reads a resource and prints its contents.
pub(super) async fn read(session: &Session<'_>, uri: &str) -> Result<Exit, Failure> {
    let result = session.wait("reading", session.connection.read_resource(uri)).await?;
    session.tell_stray().await;
    let output = session.output;
    if output.is_json {
        output.document(&Verbatim(result.raw.view()))?;
        return Ok(Exit::Done);
    }
    let mut out = String::new();
    for contents in &result.contents {
        // One resource needs no head; several do.
        if result.contents.len() > 1 {
            out.push_str(&output.paint(DIM, &format!("--- {}", one_line(&contents.uri))));
            out.push('\n');
        }
        match (&contents.text, &contents.blob) {
            (Some(text), _) => out.push_str(&output.foreign(text)),
            (None, Some(base64)) => {
                out.push_str(&output.paint(DIM, &blob("blob", contents.mime_type.as_deref(), base64)));
            }
            (None, None) => output.warn("the server sent contents without text and without bytes"),
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    if result.contents.is_empty() {
        output.note("the resource is empty");
    }
    output.print(out)?;
    Ok(Exit::Done)
}
