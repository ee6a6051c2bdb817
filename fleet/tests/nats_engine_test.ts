import { test } from "../../tests/_harness.ts";
import { ENGINE_CASES } from "./_engine_suite.ts";
import { reasonWithoutNats, withNats } from "./_nats.ts";

for (const { name, run } of ENGINE_CASES) {
  test(`NATS engine: ${name}`, () =>
    withNats(async (server) => {
      const connect = () => server.engine({ leaseMs: 1_000 });
      await run(await connect(), { ...server, connect });
    }), { skip: reasonWithoutNats });
}
