//! `selvedge demo`: what a session looks like, on a server that is always there.

use selvedge::core::{
    client::{Evidence, Progress},
    protocol::CallToolResult,
};
use serde::Serialize;

use super::{
    Exit, Failure, Session, call, content, json::Verbatim, list, output::BOLD, output::GOOD, text::one_line,
};

#[derive(Serialize)]
struct Document<'a> {
    tools: Vec<Verbatim<'a>>,
    calls: Vec<Called<'a>>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    result: Verbatim<'a>,
}

/// Lists the demo server's tools and calls two of them.
pub(super) async fn demo(session: &Session<'_>) -> Result<Exit, Failure> {
    let output = session.output;
    if output.is_json {
        return document(session).await;
    }
    let listing = session.connection.list_tools().await?;
    output.print(format!("{}\n", output.paint(BOLD, "$ selvedge tools -- selvedge serve --demo")))?;
    output.print(list::tools_table(session, &listing.items))?;

    output.print(format!(
        "\n{}\n",
        output.paint(BOLD, "$ selvedge call add a=2 b=40 -- selvedge serve --demo")
    ))?;
    let result = call::call_tool(session, "add", ADD.to_owned(), None).await?;
    output.print(content::answer(output, &result))?;

    output.print(format!(
        "\n{}\n",
        output.paint(BOLD, "$ selvedge call count to=5 delay_ms=100 -- selvedge serve --demo")
    ))?;
    let result = count(session).await?;
    output.print(content::answer(output, &result))?;
    let server = &session.handshake.server;
    let end = match session.connection.shutdown().await {
        Ok(Evidence::Exited(status)) => status.to_string(),
        _ => "is gone".to_owned(),
    };
    output.print(format!(
        "\n{} {} {} {end}; `selvedge --help` shows how to call a server of yours.\n",
        output.paint(GOOD, "Done:"),
        one_line(&server.name),
        one_line(&server.version),
    ))?;
    Ok(Exit::Done)
}

const ADD: &str = "{\"a\":2,\"b\":40}";
const COUNT: &str = "{\"to\":5,\"delay_ms\":100}";

/// Calls the tool that reports its progress, and prints each report.
async fn count(session: &Session<'_>) -> Result<CallToolResult, Failure> {
    let (tell, mut reports) = tokio::sync::mpsc::unbounded_channel::<Progress>();
    let sink = Box::new(move |progress| {
        // The receiver lives as long as the call.
        let _ = tell.send(progress);
    });
    let show = async {
        while let Some(progress) = reports.recv().await {
            let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
            let message = progress.message.as_deref().map(one_line).unwrap_or_default();
            session.output.print(format!("  {}{total}  {message}\n", progress.progress))?;
        }
        Ok(())
    };
    let (result, shown) = tokio::join!(call::call_tool(session, "count", COUNT.to_owned(), Some(sink)), show);
    shown.and(result)
}

async fn document(session: &Session<'_>) -> Result<Exit, Failure> {
    let listing = session.connection.list_tools().await?;
    let sum = call::call_tool(session, "add", ADD.to_owned(), None).await?;
    let counted = call::call_tool(session, "count", COUNT.to_owned(), None).await?;
    session.output.document(&Document {
        tools: listing.items.iter().map(|tool| Verbatim(tool.raw.view())).collect(),
        calls: vec![
            Called { name: "add", result: Verbatim(sum.raw().view()) },
            Called { name: "count", result: Verbatim(counted.raw().view()) },
        ],
    })?;
    Ok(Exit::Done)
}
