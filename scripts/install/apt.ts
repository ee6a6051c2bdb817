/** Programs that tests start, from packages of Debian that are unpacked and not installed. */
import { run } from "../project.ts";

/** Long enough for the lists of a distribution, however slow the network. */
const LIMIT_MS = 180_000;

/** Without a network it says so in seconds: apt itself tries for minutes. */
const IMPATIENT = ["http", "https"].map((one) => `Acquire::${one}::Timeout=5`)
  .concat("Acquire::Retries=0");

/** Runs `apt-get` with settings of the form `Name=value`; gives what it printed, throws with the first of its errors. */
export async function aptGet(
  args: readonly string[],
  cwd: URL,
  settings: readonly string[] = [],
): Promise<string> {
  const flags = [...IMPATIENT, ...settings].flatMap((one) => ["-o", one]);
  const { code, stdout, stderr } = await run(
    "apt-get",
    ["-qq", ...flags, ...args],
    { cwd, signal: AbortSignal.timeout(LIMIT_MS) },
  );
  if (code === 0) return stdout;
  // The first of its errors is the cause; the others say what follows.
  const why = stderr.split("\n").find((line) => line.startsWith("E: ")) ??
    `it exited with ${code}`;
  throw new Error(`apt-get ${args[0]} failed: ${why}`);
}
