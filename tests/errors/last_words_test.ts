import assert from "node:assert/strict";
import { lastWords } from "../../src/errors/last_words.ts";
import { test } from "../_harness.ts";

const CRASHES: Readonly<Record<string, readonly [string, string]>> = {
  "a program on Node": [
    "file:///srv/server.mjs:1\n" +
    'throw new Error("no key: set KEY");\n      ^\n\n' +
    "Error: no key: set KEY\n    at file:///srv/server.mjs:1:7\n" +
    "    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)\n\n" +
    "Node.js v20.20.2\n",
    "Error: no key: set KEY",
  ],
  "a module that Node does not find": [
    "node:internal/modules/esm/resolve:283\n" +
    "    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\n" +
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/a' imported from /b\n" +
    "    at finalizeResolution (node:internal/modules/esm/resolve:283:11) {\n" +
    "  code: 'ERR_MODULE_NOT_FOUND',\n  url: 'file:///a'\n}\n\n" +
    "Node.js v20.20.2\n",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/a' imported from /b",
  ],
  "a program on Bun": [
    '1 | throw new Error("no key");\n              ^\nerror: no key\n' +
    "      at /srv/server.mjs:1:11\n\nBun v1.4.4 (Linux x64)\n",
    "error: no key",
  ],
  "a program on Deno, in colours": [
    "\x1b[0m\x1b[1m\x1b[31merror\x1b[0m: Uncaught (in promise) Error: no key\n" +
    'throw new Error("no key");\n\x1b[0m\x1b[31m      ^\x1b[0m\n' +
    "    at \x1b[0m\x1b[36mfile:///srv/server.mjs\x1b[0m:1:7\n",
    "error: Uncaught (in promise) Error: no key",
  ],
  "a program in Python": [
    "Traceback (most recent call last):\n" +
    '  File "/srv/server.py", line 1, in <module>\n    import nothere\n' +
    "ModuleNotFoundError: No module named 'nothere'\n",
    "ModuleNotFoundError: No module named 'nothere'",
  ],
  "a package that npx does not find": [
    'npm warn Unknown user config "x".\nnpm error code E404\n' +
    "npm error 404 Not Found - GET https://registry.example/x\n",
    "npm error code E404",
  ],
  "a shell": ["sh: 1: mcp-files: not found\n", "sh: 1: mcp-files: not found"],
  "a server with a greeting": [
    "Starting the server\nMissing ISSUES_TOKEN\n",
    "Missing ISSUES_TOKEN",
  ],
  "nothing but a trailer": ["\nNode.js v20.20.2\n", "Node.js v20.20.2"],
};

test("lastWords() finds the reason that a program gave, in one short line", () => {
  for (const [who, [text, words]] of Object.entries(CRASHES)) {
    assert.equal(lastWords(text), words, who);
  }
  assert.equal(lastWords("one\ntwo\n\n  \n"), "two");
  assert.equal(lastWords(""), "");
  assert.equal(lastWords(`a\n${"x".repeat(300)}`).length, 200);
});
