# Written for modules that Selvedge generates; the same for every server.
"""What a generated module needs: results, failures, and the difference between absent and null."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Final, Generic, List, Mapping, TypeVar, Union, cast, final

# Any JSON value. A checker sees no more than the schema said, which here was nothing.
Json = Any

T = TypeVar("T")


@final
class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()
"""Leaves an optional argument out. `None` sends null, which is not the same."""


@dataclass(frozen=True)
class Content:
    """A part of a result: `kind` is "text" with its text, or anything else with its raw form."""

    kind: str
    text: str
    raw: Any


@dataclass(frozen=True)
class Mismatch:
    """Where a structured result differs from what the tool declared."""

    path: str
    reason: str


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    content: Any
    is_error: bool = False
    structured: Any = UNSET
    mismatch: Union[Mismatch, None] = None


@dataclass(frozen=True)
class Fault:
    """Why there is no answer."""

    code: str
    message: str


Invoke = Callable[[str, str, Dict[str, Any]], Union[Answer, Fault]]
"""Carries one call: the server, the original name of the tool, and its arguments as plain JSON."""


@dataclass(frozen=True)
class ToolResult(Generic[T]):
    """What a tool returned. Without a structured part, `structured` is `UNSET`."""

    content: List[Content]
    structured: T

    @property
    def text(self) -> str:
        """The text parts, joined by line feeds. Never parsed."""
        return _text(self.content)


class McpError(Exception):
    """Everything that a call can fail with."""


class ToolFailed(McpError):
    """The tool ran and reported a failure."""

    def __init__(self, message: str, content: List[Content]) -> None:
        super().__init__(message)
        self.content = content


class ServerUnavailable(McpError):
    """The server cannot be reached."""


class Denied(McpError):
    """The call was refused, by the engine or by the server."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ResultMalformed(McpError):
    """The answer is no result."""


class ResultSchemaMismatch(McpError):
    """The result is not what the tool declared; it is kept whole."""

    def __init__(self, path: str, reason: str, result: ToolResult[Any]) -> None:
        super().__init__(f"{path or '/'}: {reason}")
        self.path = path
        self.result = result


# Up to here a whole number and a float are the same to every reader; beyond, a float stays one.
_EXACT = 2**53 - 1


def _text(content: List[Content]) -> str:
    return "\n".join(part.text for part in content if part.kind == "text")


def _content(part: Any) -> Content:
    if isinstance(part, Mapping):
        members = cast("Mapping[Any, Any]", part)
        kind, text = members.get("type"), members.get("text")
        if kind == "text" and isinstance(text, str):
            return Content("text", text, members)
        return Content(kind if isinstance(kind, str) and kind != "text" else "", "", members)
    return Content("", "", part)


def _pack(value: Any, path: str) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value).items()
        return {_key(key, path): _pack(member, f"{path}/{key}") for key, member in members if member is not UNSET}
    if isinstance(value, (list, tuple)):
        return [_pack(item, f"{path}/{at}") for at, item in enumerate(cast("List[Any]", value))]
    raise Denied("invalid_argument", f"{path or '/'} is no JSON value")


def _key(key: Any, path: str) -> str:
    if isinstance(key, str):
        return key
    raise Denied("invalid_argument", f"{path or '/'} has a name that is no string")


class Base:
    """Carries the calls of a generated class."""

    def __init__(self, invoke: Invoke) -> None:
        self._invoke = invoke

    def _call(self, server: str, tool: str, arguments: Any, rest: Any, is_typed: bool) -> ToolResult[Any]:
        extra = {} if isinstance(rest, Unset) else dict(rest)
        packed = _pack({**extra, **arguments}, "")
        answer = self._invoke(server, tool, packed)
        if isinstance(answer, Fault):
            if answer.code == "mcp_unavailable":
                raise ServerUnavailable(answer.message)
            raise Denied(answer.code, answer.message)
        parts: object = answer.content
        if not isinstance(parts, (list, tuple)):
            raise ResultMalformed("the result has no content")
        content = [_content(part) for part in cast("List[Any]", parts)]
        if answer.is_error:
            raise ToolFailed(_text(content), content)
        result: ToolResult[Any] = ToolResult(content, answer.structured)
        if is_typed and answer.structured is UNSET:
            raise ResultSchemaMismatch("", "the tool declares a structured result and sent none", result)
        if is_typed and answer.mismatch is not None:
            raise ResultSchemaMismatch(answer.mismatch.path, answer.mismatch.reason, result)
        return result
