import assert from "node:assert/strict";
import { checkOptions } from "@sluice/agent/extend";
import { test } from "../_harness.ts";
import { configErrorOf } from "./_config_error.ts";

test("hooks in another form are refused by an error that shows the right one", () => {
  const callback = () => ({});
  const matcher = { matcher: "Bash", hooks: [callback] };
  const item = '{ matcher: "Bash", hooks: [callback] }';
  const whole = `{ PreToolUse: [${item}] }`;
  for (
    const [given, key, form] of [
      [matcher, "hooks", whole],
      [{ hooks: [callback] }, "hooks", whole],
      [[matcher], "hooks", whole],
      [callback, "hooks", whole],
      [{ Stop: matcher }, "hooks.Stop", `[${item}]`],
      [{ Stop: callback }, "hooks.Stop", `[${item}]`],
      [{ Stop: [callback] }, "hooks.Stop[0]", item],
      [{ Stop: [[callback]] }, "hooks.Stop[0]", item],
      [{ Stop: [{ hooks: callback }] }, "hooks.Stop[0].hooks", "[callback]"],
    ] as const
  ) {
    const error = configErrorOf(() => checkOptions({ hooks: given }));
    assert.equal(error.key, key);
    assert.ok(error.message.includes(` such as ${form}: `), error.message);
  }
  const all = { matcher: "*", hooks: [callback] };
  const hooks = { Stop: [matcher, { hooks: [] }, all], PreToolUse: undefined };
  checkOptions({ hooks });
});
