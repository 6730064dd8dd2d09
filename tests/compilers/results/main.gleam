import cap/mcp
import cap/mcp/results
import cap/report
import gleam/option

pub fn main() -> List(String) {
  let nothing = results.say_it_92410966_defaults()
  let full = results.SayItOptions(i: option.Some(3), text: option.Some("x"))
  [
    outcome(results.say_it_92410966(n: 42.0, options: nothing), untyped),
    outcome(results.say_it_92410966(n: 0.5, options: full), untyped),
    outcome(results.say_it_92410966(n: infinity(), options: nothing), untyped),
    outcome(results.count(), counted),
    outcome(results.count(), counted),
    outcome(results.count(), counted),
    outcome(results.count(), counted),
    outcome(results.count(), kinds),
    outcome(results.count(), counted),
    outcome(results.count(), counted),
    outcome(results.wrapped(), wrapped),
    outcome(results.wrapped(), wrapped),
    outcome(results.say_it_92410966(n: 1.0, options: nothing), untyped),
    outcome(results.say_it_92410966(n: 1.0, options: nothing), untyped),
  ]
}

fn outcome(call: mcp.Call(a), show: fn(List(mcp.Content), a) -> String) -> String {
  case call {
    Ok(mcp.Reply(content, structured)) -> say(show(content, structured))
    Error(error) -> say(explained(error))
  }
}

fn explained(error: mcp.McpError) -> String {
  case error {
    mcp.ToolFailed(message, _) -> "failed: " <> message
    mcp.ServerUnavailable(reason) -> "unavailable: " <> reason
    mcp.McpDenied(code, message) -> "denied " <> code <> ": " <> message
    mcp.ResultMalformed(reason) -> "malformed: " <> reason
    mcp.ResultSchemaMismatch(mcp.DecodeError([], reason), result) ->
      "mismatch at the root: " <> reason <> ", text " <> mcp.text(result)
    mcp.ResultSchemaMismatch(mcp.DecodeError([step, ..], reason), result) ->
      "mismatch at /" <> step <> ": " <> reason <> ", text " <> mcp.text(result)
  }
}

fn untyped(content: List(mcp.Content), structured: option.Option(report.Value)) -> String {
  case structured {
    option.None -> sizes(content, "none")
    option.Some(_) -> sizes(content, "some")
  }
}

fn counted(content: List(mcp.Content), count: results.CountResult) -> String {
  sizes(content, "{\"n\":" <> number(count.n) <> "}")
}

fn wrapped(_content: List(mcp.Content), wrapped: results.WrappedResult) -> String {
  "wrapped " <> wrapped.result
}

fn kinds(content: List(mcp.Content), _count: results.CountResult) -> String {
  "content " <> joined(content) <> "; text " <> folded(text(content))
}

fn joined(content: List(mcp.Content)) -> String {
  case content {
    [] -> ""
    [last] -> kind(last)
    [first, ..rest] -> kind(first) <> "," <> joined(rest)
  }
}

fn kind(part: mcp.Content) -> String {
  case part {
    mcp.Text(_) -> "text"
    mcp.Other(kind) -> kind
  }
}

fn sizes(content: List(mcp.Content), structured: String) -> String {
  "content " <> number(length(content)) <> ", structured " <> structured <> ", text " <> size(text(content))
}

fn text(content: List(mcp.Content)) -> String {
  mcp.text(mcp.ToolResult(content, option.None))
}

fn length(items: List(a)) -> Int {
  case items {
    [] -> 0
    [_, ..rest] -> 1 + length(rest)
  }
}

@external(javascript, "./recorded.mjs", "say")
fn say(line: String) -> String

@external(javascript, "./recorded.mjs", "infinity")
fn infinity() -> Float

@external(javascript, "./recorded.mjs", "size")
fn size(text: String) -> String

@external(javascript, "./recorded.mjs", "number")
fn number(value: Int) -> String

@external(javascript, "./recorded.mjs", "folded")
fn folded(text: String) -> String
