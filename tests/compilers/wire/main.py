import json
from typing import Any, Dict, List

from selvedge import Answer, Mismatch, ResultSchemaMismatch, ToolFailed
from wire import Tools

answers: List[Answer] = [
    Answer([{"type": "text", "text": "done"}], False, {"id": 7, "at": None}),
    Answer([], False, {"id": "x"}, Mismatch("/id", "expected a whole number")),
    Answer([{"type": "text", "text": "broken"}], True, {"id": "x"}),
]


def invoke(server: str, tool: str, args: Dict[str, Any]) -> Answer:
    text = json.dumps(args, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    print(f"{server}\t{tool}\t{text}")
    return answers.pop(0)


tools = Tools(invoke)
reply = tools.send_it_1e52c219(to='é"\n', Kind="a b", note=None, x_y_cc96fed8=42.0, where={"page": 1, "@at": "x"})
found: int = reply.structured["id"]
at = reply.structured.get("at")
print(f"reply {found} {'null' if at is None else at} {reply.text}")
try:
    tools.send_it_1e52c219(to="x", Kind="c")
except ResultSchemaMismatch as error:
    print("mismatch" if error.path == "/id" else str(error))
try:
    tools.then()
except ToolFailed as error:
    print(f"failed {error}")
