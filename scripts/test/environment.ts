/** The environment of the tests: nothing of the developer's own agent, and the programs that some tests start. */
import { installCli } from "../install/cli.ts";
import { installNats, installRedis } from "../install/debian.ts";
import { say } from "../project.ts";

/**
 * The developer's own agent must not reach a test; nor do certificates, which each start of Node reads for a tenth of a
 * second, and no test leaves this machine.
 */
const PRIVATE_VARIABLES =
  /^(ANTHROPIC_|CLAUDE|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$|NODE_TEST_CONTEXT$|DEBUG$)/;

/** Inherited variables without the private ones. */
export function plainEnvironment(): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject())
    .filter(([name]) => !PRIVATE_VARIABLES.test(name));
  return { ...Object.fromEntries(inherited), NO_COLOR: "1" };
}

/** Variables for the whole suite; installs the programs it needs and reports those it cannot get. */
export async function testEnvironment(
  report: (line: string) => void = say,
): Promise<Record<string, string>> {
  const env = plainEnvironment();
  if (env.SLUICE_TEST_REDIS === undefined) {
    const redis = await installRedis(report);
    if ("path" in redis) env.SLUICE_TEST_REDIS = redis.path;
    else report(`${redis.problem}\nTests with Redis are skipped`);
  }
  if (env.SLUICE_NATS === undefined) {
    const server = await installNats(report);
    if ("path" in server) env.SLUICE_NATS = server.path;
    else report(`${server.problem}\nTests of fleets are skipped`);
  }
  if (env.SLUICE_TEST_CLI === undefined) {
    const cli = await installCli(report);
    if ("path" in cli) env.SLUICE_TEST_CLI = cli.path;
    else report(`${cli.problem}\nTests of the real CLI are skipped`);
  }
  return env;
}
