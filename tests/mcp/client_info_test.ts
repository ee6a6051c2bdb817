import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { CLIENT_INFO } from "../../src/mcp/handshake.ts";
import { test } from "../_harness.ts";

test("CLIENT_INFO has the version of the package", async () => {
  const path = new URL("../../deno.json", import.meta.url);
  const { version } = JSON.parse(await readFile(path, "utf8"));
  assert.equal(CLIENT_INFO.version, version);
});
