import json
from typing import Any, Dict

from edges import Tools
from selvedge import Answer


def text(content: str) -> Dict[str, Any]:
    return {"type": "text", "text": content}


def invoke(server: str, tool: str, args: Dict[str, Any]) -> Answer:
    print(f"{tool} {json.dumps(args, separators=(',', ':'))}")
    return Answer([text(""), text("a"), {"type": "image"}, text(""), text("b"), text("")])


tools = Tools(invoke)
for number in (42.0, 9007199254740991.0, 1e300):
    tools.send(n=number)
folded = tools.send(n=-1e300).text.replace("\n", "|")
print(f'text "{folded}"')
