//! `selvedge prompt`.

use serde_json::value::RawValue;

use super::{
    Exit, Failure, Session,
    arguments::{self, Given},
    content,
    json::Verbatim,
    output::{BOLD, DIM},
    text::{closest, one_line},
};

/// Gets a prompt and prints its messages.
pub(super) async fn prompt(session: &Session<'_>, name: &str, given: Given<'_>) -> Result<Exit, Failure> {
    let json = match given {
        Given::Whole(json) => json,
        Given::Pairs(pairs) => {
            check(session, name, &pairs).await?;
            arguments::textual(&pairs)
        }
    };
    let json = RawValue::from_string(json).map_err(|error| Failure::bug(&error))?;
    let result = session.wait("getting the prompt", session.connection.get_prompt(name, &json)).await?;
    session.tell_stray().await;
    let output = session.output;
    if output.is_json {
        output.document(&Verbatim(result.raw.view()))?;
        return Ok(Exit::Done);
    }
    let mut out = String::new();
    if let Some(description) = &result.description {
        out.push_str(&output.paint(DIM, &one_line(description)));
        out.push_str("\n\n");
    }
    for (at, message) in result.messages.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&output.paint(BOLD, &format!("{}:", one_line(&message.role))));
        out.push('\n');
        content::push_block(&mut out, output, &message.content());
    }
    output.print(out)?;
    Ok(Exit::Done)
}

/// Catches slips of the finger, where the server's list tells.
async fn check(session: &Session<'_>, name: &str, pairs: &[arguments::Pair<'_>]) -> Result<(), Failure> {
    let listing = match session.wait("listing the prompts", session.connection.list_prompts()).await {
        Err(failure) if failure.is_unknown_method() => return Ok(()),
        listing => listing?,
    };
    if let Some(found) = listing.items.iter().find(|prompt| prompt.name == name) {
        let known: Vec<_> = found.arguments.iter().map(|argument| argument.name.as_str()).collect();
        return arguments::check_known(pairs, &known);
    }
    if listing.quarantined.iter().any(|entry| entry.name.as_deref() == Some(name)) {
        return Ok(());
    }
    let failure = Failure::usage(format!("the server has no prompt `{name}`"));
    Err(match closest(name, listing.items.iter().map(|prompt| prompt.name.as_str())) {
        Some(close) => failure.hint(format!("did you mean `{close}`?")),
        None => failure.hint("`selvedge prompts` lists its prompts"),
    })
}
