import assert from "node:assert/strict";
import type { Controls, SessionInfo, SlashCommand } from "@sluice/agent";
import type { ControlHandler } from "../../src/types/controls.ts";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

/** The last parameter of a control. */
type Last<F> = F extends (...args: infer A) => unknown
  ? Required<A> extends readonly [...unknown[], infer L] ? L : never
  : never;

test("each method of Controls takes limit and signal last", () => {
  holds<
    Same<
      {
        [K in keyof Controls]: {
          signal?: AbortSignal;
          timeoutMs?: number;
        } extends Last<Controls[K]> ? true : false;
      }[keyof Controls],
      true
    >
  >();
});

test("SessionInfo keeps its fields typed when unknown ones are read beside them", () => {
  const info: SessionInfo = {
    commands: [{ name: "compact", description: "", argumentHint: "" }],
    agents: [],
    models: [],
    account: { apiProvider: "firstParty" },
    output_style: "default",
    available_output_styles: ["default"],
    brand_new: { answer: 42 },
  };
  holds<Same<SessionInfo["commands"], readonly SlashCommand[]>>();
  holds<Same<typeof info["brand_new"], unknown>>();
  assert.equal(info.commands[0]?.name, "compact");
  assert.deepEqual(info["brand_new"], { answer: 42 });
});

test("ControlHandler reads any field when its request is newer than the types", async () => {
  const handler: ControlHandler = (request, { requestId }) => ({
    asked: request.subtype,
    about: request["topic"],
    requestId,
  });
  const request = { subtype: "from_the_future", topic: "rain" };
  const { signal } = new AbortController();
  assert.deepEqual(
    await handler(request, { requestId: "r1", signal }),
    { asked: "from_the_future", about: "rain", requestId: "r1" },
  );
});
