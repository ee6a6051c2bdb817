import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { toolPolicy } from "../../src/options/tool_policy.ts";
import type { AgentOptions, JsonObject } from "@sluice/agent";
import { test } from "../_harness.ts";

/** Characters that the CLI trims from a path. Source: tried on CLI 2.1.330. */
const TRIMMED = [
  ..."\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007",
  ..."\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
];
/** Characters that it leaves. */
const KEPT = [..."\u0085\u180e\u200b\u200c\u200d\u2060"];

const FIELDS: Readonly<Record<string, string>> = {
  Read: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
  LS: "path",
  Grep: "path",
  Glob: "path",
};

const PLACE = { cwd: "/home/me/app", home: "/home/me" };

function judge(options: AgentOptions, tool: string, input: JsonObject) {
  const guard = toolPolicy(resolveOptions(options), () => PLACE);
  const rest = tool === "Grep" || tool === "Glob" ? { pattern: "x" } : {};
  return guard?.(tool, { ...rest, ...input });
}

test("a path with white space at an end is not covered: the CLI would take another one", () => {
  for (const [tool, field] of Object.entries(FIELDS)) {
    const options = { allowedTools: [`${tool}(**)`] };
    const reason = (path: string) => judge(options, tool, { [field]: path });
    assert.equal(reason("src/a.txt"), undefined);
    assert.equal(reason("src/two words/a.txt"), undefined);
    for (const char of TRIMMED) {
      for (const path of ["/etc", "~", "~/x", "../x", "src", "."]) {
        for (const text of [char + path, path + char, `${char}\t${path}`]) {
          const shown = `${tool} ${JSON.stringify(text)}`;
          assert.match(
            reason(text) ?? "",
            /not covered by allowedTools/,
            shown,
          );
        }
      }
      assert.notEqual(reason(char), undefined);
    }
    for (const char of KEPT) {
      assert.equal(reason(`${char}/etc`), undefined, tool);
      assert.equal(reason(`src${char}`), undefined, tool);
    }
  }
});

test("a denied path is denied with white space at its ends as well", () => {
  for (const [tool, field] of Object.entries(FIELDS)) {
    const options = { deniedTools: [`${tool}(//etc/**)`, `${tool}(secret)`] };
    const reason = (path: string) => judge(options, tool, { [field]: path });
    assert.equal(reason("src"), undefined);
    for (const char of ["", ...TRIMMED]) {
      for (const path of ["/etc/hosts", "secret", "/home/me/../../etc/x"]) {
        for (const text of [char + path, path + char]) {
          assert.match(reason(text) ?? "not denied", /deniedTools/, tool);
        }
      }
    }
  }
});

test("a pattern of a search leads nowhere else behind white space either", () => {
  const tools = { Glob: "pattern", Grep: "glob" };
  for (const [tool, field] of Object.entries(tools)) {
    const options = { allowedTools: [`${tool}(**)`] };
    const reason = (wanted: string) =>
      judge(options, tool, { path: "src", [field]: wanted });
    for (const char of TRIMMED) {
      for (const wanted of ["/etc/*", "~/x", "../*", "\\x", "*.ts ../x"]) {
        assert.match(reason(char + wanted) ?? "", /not covered/, wanted);
      }
    }
    assert.equal(reason("*.ts *.js"), undefined);
  }
});
