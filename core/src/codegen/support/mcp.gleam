//// Written for modules that Selvedge generates; the same for every server.
//// What a call returns and how it fails.

import cap/report
import gleam/option

/// A part of a result: text, or anything else by its kind.
pub type Content {
  Text(text: String)
  Other(kind: String)
}

/// What a tool returned.
pub type ToolResult {
  ToolResult(content: List(Content), structured: option.Option(report.Value))
}

/// What a tool returned, with its structured part decoded.
pub type Reply(a) {
  Reply(content: List(Content), structured: a)
}

/// How a call ends.
pub type Call(a) =
  Result(Reply(a), McpError)

/// How a call ends where the tool declares no result.
pub type Untyped =
  Call(option.Option(report.Value))

/// Where a structured result differs from what the tool declared.
pub type DecodeError {
  DecodeError(path: List(String), reason: String)
}

/// Everything that a call can fail with.
pub type McpError {
  /// The tool ran and reported a failure.
  ToolFailed(message: String, content: List(Content))
  /// The server cannot be reached.
  ServerUnavailable(reason: String)
  /// The call was refused, by the engine or by the server.
  McpDenied(code: String, message: String)
  /// The answer is no result.
  ResultMalformed(reason: String)
  /// The result is not what the tool declared; it is kept whole.
  ResultSchemaMismatch(error: DecodeError, result: ToolResult)
}

/// The text parts, joined by line feeds. Never parsed.
pub fn text(result: ToolResult) -> String {
  join(result.content, option.None)
}

fn join(content: List(Content), so_far: option.Option(String)) -> String {
  case content, so_far {
    [], option.None -> ""
    [], option.Some(joined) -> joined
    [Text(text), ..rest], option.None -> join(rest, option.Some(text))
    [Text(text), ..rest], option.Some(joined) ->
      join(rest, option.Some(joined <> "\n" <> text))
    [Other(_), ..rest], _ -> join(rest, so_far)
  }
}

/// Says in words how a call failed.
pub fn error_text(error: McpError) -> String {
  case error {
    ToolFailed(message, _) -> "the tool failed: " <> message
    ServerUnavailable(reason) -> "the server is unavailable: " <> reason
    McpDenied(code, message) -> code <> ": " <> message
    ResultMalformed(reason) -> "the result is malformed: " <> reason
    ResultSchemaMismatch(DecodeError(path, reason), _) ->
      path_text(path, "") <> ": " <> reason
  }
}

fn path_text(path: List(String), so_far: String) -> String {
  case path {
    [] -> so_far
    [step, ..rest] -> path_text(rest, so_far <> "/" <> step)
  }
}
