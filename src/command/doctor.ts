import type { Host } from "../ports/host.ts";
import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import { VERSION } from "../version.ts";
import { type CliFlags, type Screen, untilEnded } from "./command_line.ts";
import { DONE, FAILED } from "./exit_codes.ts";
import {
  checkDefinitions,
  checkServers,
  checkSettings,
} from "./config_checks.ts";
import {
  checkSyntax,
  type ConfigFile,
  locate,
  readConfigFiles,
} from "./config_files.ts";
import { checkPlaces } from "./doctor_cli.ts";
import { checkSession, type CliReport } from "./doctor_session.ts";
import { type Finding, finding, showFinding } from "./finding.ts";
import { checkModel } from "./model_check.ts";
import { checkRuntime } from "./runtime_check.ts";

/** Checks everything that an agent needs, and reports each part when it is known. */
export function doctor(flags: CliFlags, on: Screen): Promise<number> {
  const { json } = flags;
  return untilEnded(on, async (signal) => {
    const all: Finding[] = [];
    for await (const [title, found] of partsOf(flags, signal)) {
      all.push(...found);
      if (json || found.length === 0) continue;
      const lines = found.map((one) => showFinding(one, on.out));
      await on.write(`${on.out.bold(title)}\n${lines.join("\n")}\n`);
    }
    const [errors = 0, unproven = 0, warnings = 0] = [
      "error",
      "unproven",
      "warning",
    ].map((status) => all.filter((one) => one.status === status).length);
    const isHealthy = errors === 0;
    const isProven = isHealthy && unproven === 0;
    if (json) {
      await on.json({ sluice: VERSION, isHealthy, isProven, findings: all });
    } else {
      const { green, red, yellow } = on.out;
      const verdict = isProven
        ? green("Agents can run here")
        : isHealthy
        ? yellow(`Nothing is broken, ${count(unproven, "thing")} not proven`)
        : red(`${count(errors, "thing")} broken`);
      const also = warnings === 0 ? "" : `, ${count(warnings, "warning")}`;
      await on.write(`\n${verdict}${also}\n`);
    }
    return isHealthy ? DONE : FAILED;
  });
}

async function* partsOf(
  { options }: CliFlags,
  signal: AbortSignal,
): AsyncGenerator<readonly [title: string, found: readonly Finding[]]> {
  const self = await host();
  const { cliPath, cwd: folder = "" } = options;
  const cwd = resolvePath(self.cwd(), folder, self.platform);
  yield ["Runtime", checkRuntime(self)];
  const places = await checkPlaces({ cliPath, cwd });
  yield ["CLI", places];
  const { findings = [], report } = places.some(isBroken)
    ? {}
    : await checkSession({ cliPath, cwd, signal });
  yield ["Session", findings];
  const files = await readConfigFiles(self, cwd);
  yield ["Configuration", await checkConfiguration(self, cwd, files, report)];
  if (report === undefined) return;
  const { env, info, model } = report;
  const found = checkModel({
    ...model,
    account: info.account,
    env: { ...self.env(), ...env },
    locate: (...keys) => locate(files, ...keys),
  });
  yield ["Model", [found]];
}

function isBroken({ status }: Finding): boolean {
  return status === "error";
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** The CLI's files, read here for the lines of mistakes, and beside what the CLI made of them. */
async function checkConfiguration(
  self: Host,
  cwd: string,
  files: readonly ConfigFile[],
  report: CliReport | undefined,
): Promise<readonly Finding[]> {
  const found = [...checkSyntax(files)];
  if (report !== undefined) {
    const { effective, env, info, mistakes, servers } = report;
    if (mistakes === undefined) {
      const text = "The CLI does not report its settings";
      found.push(finding("configuration", "unproven", text, "claude update"));
    }
    const disabled = effective["disabledMcpjsonServers"];
    found.push(
      ...checkSettings(files, mistakes ?? []),
      ...checkServers(files, {
        cwd,
        used: servers.map(({ name }) => name),
        env: { ...self.env(), ...env },
        disabled: Array.isArray(disabled) ? disabled.map(String) : [],
      }),
      ...await checkDefinitions(
        self,
        cwd,
        info.agents.map(({ name }) => name),
      ),
    );
  }
  if (found.length > 0 || files.length === 0) return found;
  const text = `${count(files.length, "file")} without a mistake`;
  const data = { files: files.map(({ path }) => path) };
  return [finding("configuration", "ok", text, undefined, data)];
}
