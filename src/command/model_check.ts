import type { JsonObject } from "../types/json.ts";
import {
  type Finding,
  finding,
  type FindingStatus,
  permissionFix,
} from "./finding.ts";
import {
  type Credentials,
  credentialsOf,
  modelFinding,
  type ModelPlace,
  sourceOf,
  TRY,
} from "./model_credentials.ts";
import { ANSWER_MS, type Failure, request } from "./model_request.ts";

const REFUSED: ReadonlySet<number> = new Set([401, 403]);
const PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** Proves address, key and model by a request that costs nothing: counting the tokens of a word. */
export async function checkModel(place: ModelPlace): Promise<Finding> {
  const { account, env } = place;
  const { apiProvider: provider = "firstParty" } = account;
  if (provider !== "firstParty") {
    const text = `Credentials, region and model of ${provider} were not tried`;
    return modelFinding("unproven", text, TRY);
  }
  const base = env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com";
  const where = sourceOf(place, "ANTHROPIC_BASE_URL");
  if (!URL.canParse(base) || !/^https?:/.test(base)) {
    // It may hold a password.
    const fix = `write ${where} as https://host`;
    return modelFinding("error", "ANTHROPIC_BASE_URL is no address", fix);
  }
  const credentials = await credentialsOf(place);
  if ("status" in credentials) return credentials;
  const shown = new URL(base).origin;
  const fixAddress = env["ANTHROPIC_BASE_URL"]
    ? `correct ${where}`
    : "look at the network";
  const address = { place, base, shown, fixAddress };
  return await judge(address, credentials);
}

interface Address {
  readonly place: ModelPlace;
  /** ANTHROPIC_BASE_URL. */
  readonly base: string;
  /** Its origin, without what may be secret. */
  readonly shown: string;
  readonly fixAddress: string;
}

async function judge(
  { base, fixAddress, place, shown }: Address,
  credentials: Credentials,
): Promise<Finding> {
  const proxy = PROXIES.find((name) => place.env[name]);
  const root = `${base.replace(/\/+$/, "")}/v1/messages`;
  const ask = (path: string, body: JsonObject) =>
    request(place, `${root}${path}?beta=true`, body, credentials);
  const began = performance.now();
  const answer = await ask("/count_tokens", {
    model: place.model,
    messages: [{ role: "user", content: "Hello" }],
  });
  if ("failure" in answer) return failed(answer, shown, fixAddress);
  const ms = Math.round(performance.now() - began);
  const { body, message, status, type } = answer;
  const data = { origin: new URL(base).origin, status, ms };
  const found = (level: FindingStatus, text: string, fix?: string) =>
    finding("model", level, text, { fix, data });
  if (typeof body?.["input_tokens"] === "number") {
    const key = credentials.source === ""
      ? ""
      : ` and took ${credentials.source}`;
    const text = `${place.model} at ${shown} answered after ${ms} ms${key}`;
    return found("ok", text);
  }
  if (REFUSED.has(status) && (body !== undefined || status === 401)) {
    return refused(status, message);
  }
  if (status === 404 && body !== undefined && /model/i.test(message)) {
    const model = place.locate("model") ??
      sourceOf(place, "ANTHROPIC_MODEL");
    const text = `${shown} has no model "${place.model}": ${message}`;
    return found("error", text, `name another model in ${model}`);
  }
  if (status === 404 || status === 405) {
    // Gateways need not count tokens. A prompt without content is refused, and costs nothing.
    const other = await ask("", {});
    if ("failure" in other) return failed(other, shown, fixAddress);
    if (REFUSED.has(other.status)) return refused(other.status, other.message);
    const isThere = other.body !== undefined &&
      (other.status === 400 || other.status === 422);
    return isThere
      ? found(
        "unproven",
        `${shown} answers, but counts no tokens, so the key was not tried`,
        TRY,
      )
      : found(
        "error",
        `${shown} is not the address of a model: ${status} at /v1/messages`,
        fixAddress,
      );
  }
  if (status === 407) {
    const text = `The proxy wants a login: ${proxy ?? shown}`;
    return found("error", text, `add user and password to ${proxy}`);
  }
  const isBusy = status === 429 || status >= 500 && status !== 511;
  if (isBusy || status === 400 && body !== undefined) {
    const text = `${shown} answered ${status}: ${message || type}`;
    return found("unproven", text, "try again later");
  }
  const what = status >= 300 && status < 400 ? "a redirect" : "a page";
  const text =
    `${shown} answered with ${what} (${status} ${type}), as a network that wants a login does`;
  return found(
    "error",
    text,
    `open a page in a browser and log in to the network, or ${fixAddress}`,
  );

  function refused(status: number, message: string): Finding {
    if (credentials.source === "") {
      return found("note", `${shown} answers; there is no key to try`);
    }
    const why = message === "" ? "" : `: ${message}`;
    const text = `${shown} refused ${credentials.source} (${status})${why}`;
    return found("error", text, credentials.fix);
  }

  function failed(
    { failure, isLate }: Failure,
    shown: string,
    fix: string,
  ): Finding {
    // The CLI may reach it by a proxy that this runtime does not use.
    if (proxy !== undefined && permissionFix(failure) === undefined) {
      const text =
        `The key was not tried: ${shown} was not reached from ${place.host.name}, and the CLI uses ${proxy}`;
      return modelFinding("unproven", text, TRY);
    }
    if (isLate) {
      const text = `${shown} did not answer in ${ANSWER_MS} ms`;
      return modelFinding("error", text, fix);
    }
    // The CLI also trusts the authorities of the system and of NODE_EXTRA_CA_CERTS, this program may not.
    const isTrust = /certificate|self.signed|issuer|UNABLE_TO_/i.test(failure);
    if (isTrust) {
      const text =
        `${shown} has a certificate that ${place.host.name} does not trust, so the key was not tried: ${failure}`;
      const fix =
        "name the file with your own authority in NODE_EXTRA_CA_CERTS (Deno: DENO_CERT)";
      return modelFinding("unproven", text, fix);
    }
    const permission = permissionFix(failure);
    if (permission !== undefined) {
      return modelFinding(
        "unproven",
        `The key was not tried: ${failure}`,
        permission,
      );
    }
    return modelFinding("error", `${shown} cannot be reached: ${failure}`, fix);
  }
}
