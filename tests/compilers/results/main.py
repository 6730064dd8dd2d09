import json
from typing import Any, Callable, Dict, List, TypeVar, Union

from results import Tools
from selvedge import (
    UNSET,
    Answer,
    Denied,
    Fault,
    McpError,
    Mismatch,
    ResultMalformed,
    ResultSchemaMismatch,
    ServerUnavailable,
    ToolFailed,
    ToolResult,
)

T = TypeVar("T")


def text(content: str) -> Dict[str, Any]:
    return {"type": "text", "text": content}


def compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


wrong = Mismatch("/n", "expected a whole number")
recorded: List[Union[Answer, Fault]] = [
    Answer([]),
    Answer([text("x" * (17 << 20))]),
    Answer([text("broken")], True, {"n": "x"}, wrong),
    Answer([text('{"n":1}')]),
    Answer([], False, {"n": 1}),
    Answer([text('{"n":2}')], False, {"n": 1}),
    Answer([text("a"), {"type": "image", "data": "", "mimeType": "image/png"}, text("b")], False, {"n": 1}),
    Answer([text("kept")], False, {"n": "x"}, wrong),
    Answer(None),
    Answer([text("x")], False, {"result": "x"}),
    Answer([text("x")]),
    Fault("-32602", "unknown tool"),
    Fault("mcp_unavailable", "the server has left"),
]


def invoke(server: str, tool: str, args: Dict[str, Any]) -> Union[Answer, Fault]:
    print(f"{tool} {compact(args)}")
    return recorded.pop(0)


def outcome(call: Callable[[], ToolResult[T]], show: Callable[[ToolResult[T]], str]) -> None:
    try:
        print(show(call()))
    except McpError as error:
        print(explained(error))


def explained(error: McpError) -> str:
    if isinstance(error, ToolFailed):
        return f"failed: {error}"
    if isinstance(error, ServerUnavailable):
        return f"unavailable: {error}"
    if isinstance(error, Denied):
        return f"denied {error.code}: {error}"
    if isinstance(error, ResultMalformed):
        return f"malformed: {error}"
    if not isinstance(error, ResultSchemaMismatch):
        raise error
    reason = str(error).split(": ", 1)[1]
    return f"mismatch at {error.path or 'the root'}: {reason}, text {error.result.text}"


def sizes(result: ToolResult[Any]) -> str:
    structured = "none" if result.structured is UNSET else compact(result.structured)
    return f"content {len(result.content)}, structured {structured}, text {len(result.text)}"


def kinds(result: ToolResult[Any]) -> str:
    found = [part.kind for part in result.content]
    folded = result.text.replace("\n", "|")
    return f"content {','.join(found)}; text {folded}"


tools = Tools(invoke)
outcome(lambda: tools.say_it_92410966(n=42.0), sizes)
outcome(lambda: tools.say_it_92410966(n=0.5, i=3, text="x"), sizes)
outcome(lambda: tools.say_it_92410966(n=float("inf")), sizes)
for _ in range(4):
    outcome(lambda: tools.count(), sizes)
outcome(lambda: tools.count(), kinds)
for _ in range(2):
    outcome(lambda: tools.count(), sizes)
for _ in range(2):
    outcome(lambda: tools.wrapped(), lambda result: f"wrapped {result.structured['result']}")
for _ in range(2):
    outcome(lambda: tools.say_it_92410966(n=1), sizes)
