import assert from "node:assert/strict";
import { fromName, namesOf } from "../../src/transcripts/names.ts";
import { test } from "../_harness.ts";

const ODD = [
  ...["..", ".", ".hidden", "a.", "a..", "/", "\\", "a/b", "a\\b", "C:", "~"],
  ...["con", "CON", "nul.txt", "com1", "lpt9.x", "aux", "console", "com"],
  ...["a b", "a%20b", "%41", "+a", "+", "A+a", "Aa", "aA", "aa", "AA"],
  ...["\0", "\n", "é", "e\u0301", "É", "\u{1f600}", "ı", "ſ", "K", "a:b*c?"],
  ...["-home-Ada-Projects-X", "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11"],
];

function nameOf(text: string): string {
  return namesOf({ projectKey: "p", sessionId: text })[1];
}

test("names are names of files on any system, each of one text alone, where case does not count either", () => {
  const seen = new Map<string, string>();
  for (const text of ODD) {
    const name = nameOf(text);
    assert.match(name, /^(?!\.)[a-z0-9._+%-]+(?<!\.)$/, text);
    assert.doesNotMatch(name, /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/);
    assert.equal(seen.get(name.toLowerCase()), undefined, text);
    seen.set(name.toLowerCase(), text);
    assert.equal(fromName(name), text);
  }
});

test("what the CLI calls its sessions and projects is almost what the files are called", () => {
  assert.deepEqual(
    namesOf({
      projectKey: "-home-Ada-x",
      sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
      subpath: "subagents/agent-a1",
    }),
    [
      "-home-+ada-x",
      "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
      "subagents",
      "agent-a1",
    ],
  );
});

test("a name that was not made here is none", () => {
  for (
    const name of ["A", "a b", "%4", "%zz", "%ff", "+", "%41", "", ".a", "a:"]
  ) {
    if (name === "") assert.equal(fromName(name), "");
    else assert.equal(fromName(name), undefined, name);
  }
});
