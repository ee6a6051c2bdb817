import { isObject } from "../errors/text.ts";
import { resolvePath } from "../process/paths.ts";
import type { Host } from "../ports/host.ts";
import { configFolder } from "../transcripts/places.ts";
import { host } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import { VERSION } from "../version.ts";
import {
  type CliFlags,
  DONE,
  FAILED,
  type Screen,
  untilEnded,
} from "./command_line.ts";
import {
  checkSettings,
  checkSyntax,
  locate,
  readConfigFiles,
} from "./config_files.ts";
import { checkServers } from "./config_servers.ts";
import { checkDefinitions } from "./definitions.ts";
import { type Finding, finding, showFinding } from "./finding.ts";
import { checkModel } from "./model_check.ts";
import { checkRuntime } from "./runtime_check.ts";
import { checkSession, type CliReport } from "./doctor_session.ts";
import { checkPlaces } from "./doctor_cli.ts";

/** Checks everything that an agent needs, and reports each part when it and those before it are known. */
export function doctor(flags: CliFlags, on: Screen): Promise<number> {
  const { json } = flags;
  return untilEnded(on.program, async (signal) => {
    const self = await host();
    const cwd = resolvePath(self.cwd(), flags.cwd ?? "", self.platform);
    const places = checkPlaces(flags);
    // Two questions at once would only wait for each other, unless the first finds nothing.
    const session = places.then((found) =>
      found.some(isBroken) ? { findings: [] } : checkSession(flags, signal)
    );
    const parts: readonly (readonly [string, Promise<readonly Finding[]>])[] = [
      ["Runtime", Promise.resolve(checkRuntime(self))],
      ["CLI", places],
      ["Session", session.then(({ findings }) => findings)],
      [
        "Configuration",
        session.then(({ report }) => checkConfiguration(self, cwd, report)),
      ],
      [
        "Model",
        session.then(({ report }) =>
          report === undefined ? [] : checkReach(self, cwd, report, signal)
        ),
      ],
    ];
    // A failure is thrown when its turn comes.
    for (const [, part] of parts) part.catch(() => {});
    const all: Finding[] = [];
    for (const [title, part] of parts) {
      const found = await part;
      all.push(...found);
      if (json || found.length === 0) continue;
      const lines = found.map((one) => showFinding(one, on.out));
      await on.write(`${on.out.bold(title)}\n${lines.join("\n")}\n`);
    }
    const number = (status: Finding["status"]) =>
      all.filter((one) => one.status === status).length;
    const [broken, unproven, warnings] = [
      number("error"),
      number("unproven"),
      number("warning"),
    ];
    const isHealthy = broken === 0;
    const isProven = isHealthy && unproven === 0;
    if (json) {
      await on.json({ sluice: VERSION, isHealthy, isProven, findings: all });
    } else {
      const { green, red, yellow } = on.out;
      const also = warnings === 0 ? "" : `, ${count(warnings, "warning")}`;
      const verdict = isProven
        ? green("Agents can run here")
        : isHealthy
        ? yellow(`Nothing is broken, ${count(unproven, "thing")} not proven`)
        : red(`${count(broken, "thing")} broken`);
      await on.write(`\n${verdict}${also}\n`);
    }
    return isHealthy ? DONE : FAILED;
  });
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
  report: CliReport | undefined,
): Promise<readonly Finding[]> {
  const files = await readConfigFiles(self, cwd);
  const found = [...checkSyntax(files)];
  if (report !== undefined) {
    const { events, info, servers, settings } = report;
    const { effective = {}, errors = [] } = settings ?? {};
    if (settings === undefined) {
      const text = "The CLI does not tell which settings hold";
      const fix = "claude update";
      found.push(finding("configuration", "unproven", text, { fix }));
    }
    const disabled = effective["disabledMcpjsonServers"];
    found.push(
      ...checkSettings(files, errors, events),
      ...checkServers(files, servers, {
        cwd,
        env: environmentOf(self, effective),
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
  return [finding("configuration", "ok", text, { data })];
}

/** The environment of the CLI: settings win over that of the program. */
function environmentOf(
  self: Host,
  effective: JsonObject,
): Readonly<Record<string, string>> {
  const env = isObject(effective["env"]) ? effective["env"] : {};
  const texts = Object.entries(env).map(([name, value]) =>
    [name, String(value)] as const
  );
  return { ...self.env(), ...Object.fromEntries(texts) };
}

async function checkReach(
  self: Host,
  cwd: string,
  { info, settings }: CliReport,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const files = await readConfigFiles(self, cwd);
  const { applied, effective = {} } = settings ?? {};
  const helper = effective["apiKeyHelper"];
  const found = await checkModel({
    host: self,
    env: environmentOf(self, effective),
    cwd,
    account: info.account,
    model: applied?.model ?? info.models[0]?.resolvedModel ??
      "claude-sonnet-4-5",
    apiKeyHelper: typeof helper === "string" ? helper : undefined,
    configFolder: configFolder(self),
    locate: (...keys) => locate(files, ...keys),
    signal,
  });
  return [found];
}
