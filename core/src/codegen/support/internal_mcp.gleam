//// Written for modules that Selvedge generates; the same for every server.
//// Carries calls to the host, and translates values both ways.

import cap/mcp
import cap/report
import gleam/option

/// The host's side: a JavaScript module or an Erlang one named `selvedge_invoke` beside the compiled code.
@external(erlang, "selvedge_invoke", "call")
@external(javascript, "../../selvedge_invoke.mjs", "call")
fn host(server: String, tool: String, arguments: report.Value) -> report.Value

/// Calls a tool under its original name.
pub fn invoke(
  server: String,
  tool: String,
  arguments: report.Value,
) -> Result(mcp.ToolResult, mcp.McpError) {
  read_answer(host(server, tool, arguments))
}

/// Calls a tool and reads its structured result.
pub fn call(
  server: String,
  tool: String,
  arguments: report.Value,
  read: fn(option.Option(report.Value)) -> Result(a, mcp.DecodeError),
) -> Result(mcp.Reply(a), mcp.McpError) {
  case invoke(server, tool, arguments) {
    Error(error) -> Error(error)
    Ok(mcp.ToolResult(content, structured)) ->
      case read(structured) {
        Ok(value) -> Ok(mcp.Reply(content, value))
        Error(error) ->
          Error(mcp.ResultSchemaMismatch(error, mcp.ToolResult(content, structured)))
      }
  }
}

fn read_answer(answer: report.Value) -> Result(mcp.ToolResult, mcp.McpError) {
  case report.field(answer, "code"), report.field(answer, "message") {
    Ok(report.StringValue("mcp_unavailable")), Ok(report.StringValue(message)) ->
      Error(mcp.ServerUnavailable(message))
    Ok(report.StringValue(code)), Ok(report.StringValue(message)) ->
      Error(mcp.McpDenied(code, message))
    _, _ -> read_result(answer)
  }
}

fn read_result(answer: report.Value) -> Result(mcp.ToolResult, mcp.McpError) {
  let structured = case report.field(answer, "structured") {
    Ok(value) -> option.Some(value)
    Error(_) -> option.None
  }
  case report.field(answer, "content"), report.field(answer, "is_error") {
    Ok(report.ArrayValue(parts)), Ok(report.BoolValue(True)) -> {
      let result = mcp.ToolResult(each(parts, read_content), structured)
      Error(mcp.ToolFailed(mcp.text(result), result.content))
    }
    Ok(report.ArrayValue(parts)), _ ->
      Ok(mcp.ToolResult(each(parts, read_content), structured))
    _, _ -> Error(mcp.ResultMalformed("the result has no content"))
  }
}

fn read_content(part: report.Value) -> mcp.Content {
  case report.field(part, "type"), report.field(part, "text") {
    Ok(report.StringValue("text")), Ok(report.StringValue(text)) -> mcp.Text(text)
    Ok(report.StringValue(kind)), _ -> mcp.Other(kind)
    _, _ -> mcp.Other("")
  }
}

fn each(items: List(a), with: fn(a) -> b) -> List(b) {
  case items {
    [] -> []
    [first, ..rest] -> [with(first), ..each(rest, with)]
  }
}

fn append(first: List(a), second: List(a)) -> List(a) {
  case first {
    [] -> second
    [item, ..rest] -> [item, ..append(rest, second)]
  }
}

// What becomes a value.

pub fn object(parts: List(List(#(String, report.Value)))) -> report.Value {
  report.object(joined(parts))
}

fn joined(parts: List(List(a))) -> List(a) {
  case parts {
    [] -> []
    [first, ..rest] -> append(first, joined(rest))
  }
}

pub fn with(name: String, value: a, encode: fn(a) -> report.Value) -> List(#(String, report.Value)) {
  [#(name, encode(value))]
}

/// Leaves the member out if there is no value.
pub fn maybe(
  name: String,
  value: option.Option(a),
  encode: fn(a) -> report.Value,
) -> List(#(String, report.Value)) {
  case value {
    option.Some(value) -> [#(name, encode(value))]
    option.None -> []
  }
}

pub fn rest(members: List(#(String, a)), encode: fn(a) -> report.Value) -> List(#(String, report.Value)) {
  each(members, fn(member) {
    let #(name, value) = member
    #(name, encode(value))
  })
}

pub fn same(value: report.Value) -> report.Value {
  value
}

pub fn null(_value: Nil) -> report.Value {
  report.null()
}

@external(erlang, "selvedge_invoke", "whole")
@external(javascript, "../../selvedge_invoke.mjs", "whole")
fn whole(value: Float) -> Result(Int, Nil)

/// A whole number travels as one.
pub fn number(value: Float) -> report.Value {
  case whole(value) {
    Ok(value) -> report.int(value)
    Error(_) -> report.float(value)
  }
}

pub fn list(encode: fn(a) -> report.Value) -> fn(List(a)) -> report.Value {
  fn(items) { report.list(each(items, encode)) }
}

pub fn map(encode: fn(a) -> report.Value) -> fn(List(#(String, a))) -> report.Value {
  fn(members) { report.object(rest(members, encode)) }
}

pub fn nullable(encode: fn(a) -> report.Value) -> fn(option.Option(a)) -> report.Value {
  fn(value) {
    case value {
      option.Some(value) -> encode(value)
      option.None -> report.null()
    }
  }
}

// What is read from a value.

pub fn declared(
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> fn(option.Option(report.Value)) -> Result(a, mcp.DecodeError) {
  fn(structured) {
    case structured {
      option.Some(value) -> decode(value)
      option.None -> fail("the tool declares a structured result and sent none")
    }
  }
}

pub fn undeclared(
  structured: option.Option(report.Value),
) -> Result(option.Option(report.Value), mcp.DecodeError) {
  Ok(structured)
}

fn fail(reason: String) -> Result(a, mcp.DecodeError) {
  Error(mcp.DecodeError([], reason))
}

fn below(result: Result(a, mcp.DecodeError), step: String) -> Result(a, mcp.DecodeError) {
  case result {
    Ok(value) -> Ok(value)
    Error(mcp.DecodeError(path, reason)) -> Error(mcp.DecodeError([step, ..path], reason))
  }
}

pub fn then(result: Result(a, mcp.DecodeError), wrap: fn(a) -> b) -> Result(b, mcp.DecodeError) {
  case result {
    Ok(value) -> Ok(wrap(value))
    Error(error) -> Error(error)
  }
}

pub fn no_alternative() -> Result(a, mcp.DecodeError) {
  fail("expected one of the declared alternatives")
}

pub fn as_value(value: report.Value) -> Result(report.Value, mcp.DecodeError) {
  Ok(value)
}

pub fn as_null(value: report.Value) -> Result(Nil, mcp.DecodeError) {
  case value {
    report.NilValue -> Ok(Nil)
    _ -> fail("expected null")
  }
}

pub fn as_bool(value: report.Value) -> Result(Bool, mcp.DecodeError) {
  case value {
    report.BoolValue(value) -> Ok(value)
    _ -> fail("expected a boolean")
  }
}

pub fn as_string(value: report.Value) -> Result(String, mcp.DecodeError) {
  case value {
    report.StringValue(value) -> Ok(value)
    _ -> fail("expected a string")
  }
}

pub fn as_int(value: report.Value) -> Result(Int, mcp.DecodeError) {
  case value {
    report.IntValue(value) -> Ok(value)
    report.FloatValue(value) ->
      case whole(value) {
        Ok(value) -> Ok(value)
        Error(_) -> fail("expected a whole number")
      }
    _ -> fail("expected a whole number")
  }
}

@external(erlang, "erlang", "float")
@external(javascript, "../../selvedge_invoke.mjs", "float")
fn to_float(value: Int) -> Float

pub fn as_float(value: report.Value) -> Result(Float, mcp.DecodeError) {
  case value {
    report.FloatValue(value) -> Ok(value)
    report.IntValue(value) -> Ok(to_float(value))
    _ -> fail("expected a number")
  }
}

pub fn as_list(
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> fn(report.Value) -> Result(List(a), mcp.DecodeError) {
  fn(value) {
    case value {
      report.ArrayValue(items) -> all(items, decode)
      _ -> fail("expected a list")
    }
  }
}

fn all(
  items: List(report.Value),
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> Result(List(a), mcp.DecodeError) {
  case items {
    [] -> Ok([])
    [first, ..rest] ->
      case below(decode(first), "item"), all(rest, decode) {
        Ok(first), Ok(rest) -> Ok([first, ..rest])
        Error(error), _ -> Error(error)
        _, Error(error) -> Error(error)
      }
  }
}

pub fn as_map(
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> fn(report.Value) -> Result(List(#(String, a)), mcp.DecodeError) {
  fn(value) {
    case value {
      report.MapValue(members) -> all_members(members, decode)
      _ -> fail("expected an object")
    }
  }
}

fn all_members(
  members: List(#(String, report.Value)),
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> Result(List(#(String, a)), mcp.DecodeError) {
  case members {
    [] -> Ok([])
    [#(name, value), ..rest] ->
      case below(decode(value), name), all_members(rest, decode) {
        Ok(value), Ok(rest) -> Ok([#(name, value), ..rest])
        Error(error), _ -> Error(error)
        _, Error(error) -> Error(error)
      }
  }
}

pub fn as_nullable(
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> fn(report.Value) -> Result(option.Option(a), mcp.DecodeError) {
  fn(value) {
    case value {
      report.NilValue -> Ok(option.None)
      value -> then(decode(value), option.Some)
    }
  }
}

pub fn choose(value: report.Value, table: List(#(report.Value, a))) -> Result(a, mcp.DecodeError) {
  case table {
    [] -> fail("expected one of the declared constants")
    [#(constant, chosen), ..] if constant == value -> Ok(chosen)
    [_, ..rest] -> choose(value, rest)
  }
}

pub fn members(
  value: report.Value,
  next: fn(report.Value) -> Result(a, mcp.DecodeError),
) -> Result(a, mcp.DecodeError) {
  case value {
    report.MapValue(_) -> next(value)
    _ -> fail("expected an object")
  }
}

pub fn tag(
  value: report.Value,
  name: String,
  next: fn(String) -> Result(a, mcp.DecodeError),
) -> Result(a, mcp.DecodeError) {
  case report.field(value, name) {
    Ok(report.StringValue(tag)) -> next(tag)
    _ -> below(fail("expected a string that names the alternative"), name)
  }
}

pub fn required(
  members: report.Value,
  name: String,
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
  next: fn(a) -> Result(b, mcp.DecodeError),
) -> Result(b, mcp.DecodeError) {
  case report.field(members, name) {
    Error(_) -> below(fail("a required member is missing"), name)
    Ok(value) ->
      case below(decode(value), name) {
        Ok(value) -> next(value)
        Error(error) -> Error(error)
      }
  }
}

pub fn optional(
  members: report.Value,
  name: String,
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
  next: fn(option.Option(a)) -> Result(b, mcp.DecodeError),
) -> Result(b, mcp.DecodeError) {
  case report.field(members, name) {
    Error(_) -> next(option.None)
    Ok(value) ->
      case below(decode(value), name) {
        Ok(value) -> next(option.Some(value))
        Error(error) -> Error(error)
      }
  }
}

pub fn constant(
  members: report.Value,
  name: String,
  expected: report.Value,
  next: fn(Nil) -> Result(a, mcp.DecodeError),
) -> Result(a, mcp.DecodeError) {
  case report.field(members, name) {
    Ok(value) if value == expected -> next(Nil)
    _ -> below(fail("expected the declared constant"), name)
  }
}

pub fn others(
  members: report.Value,
  known: List(String),
  decode: fn(report.Value) -> Result(a, mcp.DecodeError),
  next: fn(List(#(String, a))) -> Result(b, mcp.DecodeError),
) -> Result(b, mcp.DecodeError) {
  let others = case members {
    report.MapValue(members) -> without(members, known)
    _ -> []
  }
  case all_members(others, decode) {
    Ok(others) -> next(others)
    Error(error) -> Error(error)
  }
}

fn without(members: List(#(String, a)), known: List(String)) -> List(#(String, a)) {
  case members {
    [] -> []
    [#(name, value), ..rest] ->
      case contains(known, name) {
        True -> without(rest, known)
        False -> [#(name, value), ..without(rest, known)]
      }
  }
}

fn contains(names: List(String), name: String) -> Bool {
  case names {
    [] -> False
    [first, ..] if first == name -> True
    [_, ..rest] -> contains(rest, name)
  }
}
