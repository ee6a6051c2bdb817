"""A client of the Claude Code CLI in Python, standard library only: one prompt, tools allowed, every line checked.

    python3 examples/client.py "Create a file"

CLAUDE_CLI_PATH selects another program than `claude`. docs/protocol.md describes the protocol.
"""
import json
import os
import pathlib
import subprocess
import sys

SCHEMA = json.loads((pathlib.Path(__file__).parents[1] / "protocol.schema.json").read_text("utf-8"))
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}


def problem(value, schema, at):
    """Returns the first way in which a value violates a schema; None if it fits."""
    if "$ref" in schema and (found := problem(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], at)):
        return found
    for word in ("anyOf", "oneOf"):
        found = [problem(value, choice, at) for choice in schema.get(word, [])]
        if found and all(found):
            return f"{at} fits none of {len(found)} schemas"
    if ("const" in schema and value != schema["const"]) or ("enum" in schema and value not in schema["enum"]):
        return f"{at} is not {schema.get('const', schema.get('enum'))}"
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds):
        return f"{at} is not of type {' or '.join(kinds)}"
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return next(filter(None, (problem(item, schema["items"], f"{at}[]") for item in value)), None)
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                return f"{at}.{name} is missing"
        fields = {name: schema.get("properties", {}).get(name, schema.get("additionalProperties", {})) for name in value}
        return next(filter(None, (problem(value[name], of, f"{at}.{name}") for name, of in fields.items() if isinstance(of, dict))), None)


def send(line):
    if found := problem(line, {"$ref": "#/$defs/StdinLine"}, line["type"]):
        sys.exit(f"invalid line: {found}")
    print(json.dumps(line), file=cli.stdin, flush=True)


def answer(request):
    if request["request"]["subtype"] == "can_use_tool":
        print(f"may run {request['request']['tool_name']}")
        reply = {"subtype": "success", "response": {"behavior": "allow", "updatedInput": request["request"]["input"]}}
    else:
        reply = {"subtype": "error", "error": "not supported by this client", "error_code": "unsupported_request"}
    send({"type": "control_response", "response": {**reply, "request_id": request["request_id"]}})


flags = ["--output-format=stream-json", "--verbose", "--input-format=stream-json", "--permission-prompt-tool=stdio"]
cli = subprocess.Popen([os.environ.get("CLAUDE_CLI_PATH", "claude"), *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
send({"type": "control_request", "request_id": "first", "request": {"subtype": "initialize"}})
for text in cli.stdout:
    line = json.loads(text)
    if found := problem(line, {"$ref": "#/$defs/StdoutLine"}, line.get("type", "line")):
        print(f"not as described: {found}", file=sys.stderr)
    if line["type"] == "control_response" and line["response"]["request_id"] == "first":
        if line["response"]["subtype"] == "error":
            sys.exit(line["response"]["error"])
        print(f"ready with {len(line['response']['response']['models'])} models")
        send({"type": "user", "message": {"role": "user", "content": " ".join(sys.argv[1:])}, "parent_tool_use_id": None, "session_id": ""})
    elif line["type"] == "control_request":
        answer(line)
    elif line["type"] == "assistant":
        print("".join(block["text"] for block in line["message"]["content"] if block["type"] == "text"), end="")
    elif line["type"] == "result":
        print(f"\n{line['subtype']}: ${line['total_cost_usd']:.4f}")
        cli.stdin.close()
sys.exit(cli.wait())
