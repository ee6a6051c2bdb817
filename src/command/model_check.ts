import { asObject, cut, isObject, LOG_IN, parsedJson } from "../errors/text.ts";
import type { AccountInfo } from "../protocol/session.ts";
import { type Finding, finding, type FindingStatus } from "./finding.ts";

/** Route of the CLI to its model, and the outcome of counting tokens by it, which costs nothing. */
export interface ModelReport {
  readonly account: AccountInfo;
  /** The model in use, as the API calls it. */
  readonly model: string;
  /** The environment of the CLI: that of this program below that of the settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the model counted. */
  readonly hasCounted: boolean;
  /** Why it did not, as the CLI logs it. */
  readonly failure?: string | undefined;
  /** Why the command of the settings that prints the key failed. */
  readonly helperFailure?: string | undefined;
  /** Place of a key in the settings: `file:line`; undefined if no file has it. */
  locate(...keys: readonly string[]): string | undefined;
}

const TRY = "sluice run 'Say hello' tries it, for a few tokens";

/** Whether the CLI has nothing to pay with; a login from its own files names no source at all. */
export function isLoggedOut(
  { apiKeySource = "none", apiProvider = "firstParty", tokenSource }:
    AccountInfo,
): boolean {
  return apiProvider === "firstParty" && apiKeySource === "none" &&
    tokenSource === "none";
}

/** Judges address, key and model by the requests that the CLI made to count tokens. */
export function checkModel(report: ModelReport): Finding {
  const { account, env, failure, helperFailure, locate, model } = report;
  const found = (status: FindingStatus, text: string, fix?: string) =>
    finding("model", status, text, fix);
  const { apiKeySource, apiProvider = "firstParty", tokenSource } = account;
  if (apiProvider !== "firstParty") {
    const text =
      `Credentials, region and model of ${apiProvider} were not tried`;
    return found("unproven", text, TRY);
  }
  const placeOf = (name: string) => {
    const place = locate("env", name) ?? locate(name);
    return place === undefined ? name : `${name} in ${place}`;
  };
  const { ANTHROPIC_BASE_URL: url = "" } = env;
  const base = url || "https://api.anthropic.com";
  const where = placeOf("ANTHROPIC_BASE_URL");
  if (!URL.canParse(base) || !/^https?:/.test(base)) {
    // It may hold a password.
    const fix = `write ${where} as https://host`;
    return found("error", "ANTHROPIC_BASE_URL is no address", fix);
  }
  const shown = new URL(base).origin;
  const fixAddress = url
    ? `correct ${where}, or look at the network, its proxy and certificates`
    : "look at the network, its proxy and certificates";
  const names = [tokenSource, apiKeySource]
    .filter((one) => one !== undefined && one !== "none") as string[];
  const source = [...new Set(names)].map(placeOf).join(" and ");
  if (helperFailure !== undefined) {
    const text = `${placeOf("apiKeyHelper")} failed: ${helperFailure}`;
    const fix = "run its command by hand: it has to print the key";
    return found("error", text, fix);
  }
  if (report.hasCounted) {
    const key = source === "" ? "the login" : source;
    return found("ok", `${model} at ${shown} counts tokens and took ${key}`);
  }
  if (failure === undefined) {
    const text =
      `${shown} did not count tokens, as a network that wants a login does not`;
    const fix = `open a page in a browser, or ${fixAddress}; ${TRY}`;
    return found("unproven", text, fix);
  }
  const [, code = "", body = ""] = /^(\d{3})\b\s*(.*)$/.exec(failure) ?? [];
  const message = messageOf(body);
  const status = Number(code);
  const why = `(${status}${message && `: ${cut(message)}`})`;
  const isRefused = status === 401 || status === 403 && message !== "";
  if (isLoggedOut(account) && (isRefused || code === "")) {
    return found("note", `${shown} was not tried: there is no key`);
  }
  if (code === "") {
    return found("error", `${shown} cannot be reached: ${failure}`, fixAddress);
  }
  if (isRefused) {
    const fix = tokenSource === "CLAUDE_CODE_OAUTH_TOKEN"
      ? "make a new one: claude setup-token"
      : source === "" || /login|claude\.ai/i.test(source)
      ? LOG_IN
      : `correct ${source}`;
    const text = `${shown} refused ${source || "the login"} ${why}`;
    return found("error", text, fix);
  }
  if (status === 404 && /model/i.test(message)) {
    const place = locate("model") ?? placeOf("ANTHROPIC_MODEL");
    const text = `${shown} has no model "${model}" ${why}`;
    return found("error", text, `name another model in ${place}`);
  }
  if (status === 404 || status === 405) {
    if (message === "") {
      const text = `${shown} is not the address of a model ${why}`;
      return found("error", text, fixAddress);
    }
    // Gateways need not count tokens.
    return found(
      "unproven",
      `${shown} answers, but counts no tokens ${why}`,
      TRY,
    );
  }
  if (status === 400 || status === 429 || status >= 500 && status !== 511) {
    const text = `${shown} did not count tokens ${why}`;
    return found("unproven", text, "try again later");
  }
  const text =
    `${shown} answered with a page ${why}, as a network that wants a login does`;
  const fix =
    `open a page in a browser and log in to the network, or ${fixAddress}`;
  return found("error", text, fix);
}

/** The message of an error of the API; empty for anything else. */
function messageOf(body: string): string {
  const { error, message } = asObject(parsedJson(body));
  const text = isObject(error) ? error["message"] : message;
  return typeof text === "string" ? text : "";
}
