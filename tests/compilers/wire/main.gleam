import cap/mcp
import cap/mcp/wire
import gleam/option

pub fn main() -> List(String) {
  let first =
    wire.send_it_1e52c219(
      to: greeting(),
      kind_f5387f9b: wire.SendItKindAB,
      options: wire.SendItOptions(
        note: option.Some(option.None),
        x_y_cc96fed8: option.Some(42.0),
        where: option.Some(wire.SendItWhere(page: 1, at_dc20964b: option.Some("x"))),
      ),
    )
  let _ = case first {
    Ok(mcp.Reply(content, wire.SendItResult(id: 7, at: option.Some(option.None)))) ->
      say("reply 7 null " <> mcp.text(mcp.ToolResult(content, option.None)))
    _ -> say("another reply")
  }
  let second = wire.send_it_1e52c219(to: "x", kind_f5387f9b: wire.SendItKindC, options: wire.send_it_1e52c219_defaults())
  let _ = case second {
    Error(mcp.ResultSchemaMismatch(mcp.DecodeError(["id"], _), _)) -> say("mismatch")
    _ -> say("no mismatch")
  }
  case wire.then() {
    Error(mcp.ToolFailed(message, _)) -> [say("failed " <> message)]
    _ -> [say("no failure")]
  }
}

@external(javascript, "./recorded.mjs", "say")
fn say(line: String) -> String

@external(javascript, "./recorded.mjs", "greeting")
fn greeting() -> String
