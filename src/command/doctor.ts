import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import { VERSION } from "../version.ts";
import { checkPlaces, checkSession } from "./cli_checks.ts";
import { DONE, FAILED } from "./exit_code.ts";
import { type Finding, showFinding } from "./finding.ts";
import {
  checkDisk,
  checkLeftOver,
  checkNetwork,
  checkRuntime,
  checkSandbox,
} from "./machine_checks.ts";
import type { Screen } from "./screen.ts";
import { untilEnded } from "./interrupts.ts";
import type { CliFlags } from "./flags.ts";

interface DoctorFlags extends CliFlags {
  readonly fix?: true;
}

/** Looks at everything that an agent needs, and tells each part when it and those before it are known. */
export function doctor(flags: DoctorFlags, on: Screen): Promise<number> {
  return untilEnded(on.program, (signal) => examine(flags, on, signal));
}

async function examine(
  flags: DoctorFlags,
  on: Screen,
  signal: AbortSignal,
): Promise<number> {
  const self = await host();
  const cwd = resolvePath(self.cwd(), flags.cwd ?? "", self.platform);
  const places = checkPlaces(flags);
  // Two questions at once would only wait for each other, unless the first finds nothing.
  const session = places.then((found) =>
    found.some(isBroken)
      ? { findings: [], isSandboxed: false }
      : checkSession(flags, signal)
  );
  const parts: readonly (readonly [string, Promise<readonly Finding[]>])[] = [
    ["Runtime", Promise.resolve(checkRuntime(self))],
    ["CLI", places],
    ["Session", session.then(({ findings }) => findings)],
    ["Network", checkNetwork(self)],
    [
      "Machine",
      Promise.all([
        checkDisk(self, cwd),
        checkLeftOver(self, flags.fix === true),
        session.then(({ isSandboxed }) => checkSandbox(self, isSandboxed)),
      ]).then((all) => all.flat()),
    ],
  ];
  // One that fails is told when its turn comes.
  for (const [, part] of parts) part.catch(() => {});
  const all: Finding[] = [];
  for (const [title, part] of parts) {
    const found = await part;
    all.push(...found);
    if (flags.json || found.length === 0) continue;
    const lines = found.map((one) => showFinding(one, on.out));
    await on.write(`${on.out.bold(title)}\n${lines.join("\n")}\n`);
  }
  const broken = all.filter(isBroken).length;
  if (flags.json) {
    await on.json({
      sluice: VERSION,
      isHealthy: broken === 0,
      findings: all,
    });
  } else await on.write(`\n${verdict(broken, all, on)}\n`);
  return broken === 0 ? DONE : FAILED;
}

function isBroken({ status }: Finding): boolean {
  return status === "error";
}

function verdict(
  broken: number,
  all: readonly Finding[],
  { out }: Screen,
): string {
  const warnings = all.filter(({ status }) => status === "warning").length;
  const also = warnings === 0 ? "" : `, ${count(warnings, "warning")}`;
  return broken === 0
    ? `${out.green("Agents can run here")}${also}`
    : `${out.red(`${count(broken, "thing")} broken`)}${also}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
