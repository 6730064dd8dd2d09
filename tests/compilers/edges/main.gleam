import cap/mcp
import cap/mcp/edges
import gleam/option

pub fn main() -> String {
  let _ = edges.send(n: 42.0)
  let _ = edges.send(n: 9007199254740991.0)
  let _ = edges.send(n: large())
  case edges.send(n: 0.0 -. large()) {
    Ok(mcp.Reply(content, _)) -> show(mcp.text(mcp.ToolResult(content, option.None)))
    Error(error) -> show(mcp.error_text(error))
  }
}

@external(javascript, "./selvedge_invoke.mjs", "large")
fn large() -> Float

@external(javascript, "./selvedge_invoke.mjs", "show")
fn show(text: String) -> String
