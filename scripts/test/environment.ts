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

/** Environment of the whole suite. */
export interface TestEnvironment {
  /** The whole environment. */
  readonly env: Record<string, string>;
  /** Rooms of tests that are skipped, each with the reason. */
  readonly skipped: readonly string[];
}

/** A program that tests start: the variable that names it, the room that is nothing without it. */
const PROGRAMS = [
  {
    variable: "SLUICE_TEST_REDIS",
    room: "transcripts with Redis",
    name: "redis-server",
    install: installRedis,
  },
  {
    variable: "SLUICE_NATS",
    room: "fleet",
    name: "nats-server",
    install: installNats,
  },
  {
    variable: "SLUICE_TEST_CLI",
    room: "e2e",
    name: "Claude Code CLI",
    install: installCli,
  },
] as const;

/** The environment of the whole suite; installs the programs it needs and reports those it cannot get. */
export async function testEnvironment(
  report: (line: string) => void = say,
): Promise<TestEnvironment> {
  const env = plainEnvironment();
  const skipped: string[] = [];
  for (const { variable, room, name, install } of PROGRAMS) {
    if (env[variable] !== undefined) continue;
    const program = await install(report);
    if ("path" in program) {
      env[variable] = program.path;
      continue;
    }
    report(program.problem);
    skipped.push(`${room} (no ${name}: ${program.problem})`);
  }
  return { env, skipped };
}

/** The line that ends a run which left rooms out. */
export function skippedLine(skipped: readonly string[]): string | undefined {
  return skipped.length === 0
    ? undefined
    : `skipped rooms: ${skipped.join(", ")}`;
}
