import { withTimeout } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { cut, isObject, REDACTED, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { VERSION } from "../version.ts";
import {
  type Finding,
  finding,
  type FindingStatus,
  permissionFix,
} from "./finding.ts";
import {
  type Credentials,
  credentialsOf,
  type ModelPlace,
  sourceOf,
  TRY,
} from "./model_credentials.ts";

/** How long the model's address may take, in milliseconds. */
const ANSWER_MS = 10_000;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
const PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** Proves address, key and model by a request that costs nothing: counting the tokens of a word. */
export async function checkModel(place: ModelPlace): Promise<Finding> {
  const { account, env } = place;
  const { apiProvider: provider = "firstParty" } = account;
  if (provider !== "firstParty") {
    const text = `Credentials, region and model of ${provider} were not tried`;
    return finding("model", "unproven", text, TRY);
  }
  const base = env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com";
  const where = sourceOf(place, "ANTHROPIC_BASE_URL");
  if (!URL.canParse(base) || !/^https?:/.test(base)) {
    // It may hold a password.
    const fix = `write ${where} as https://host`;
    return finding("model", "error", "ANTHROPIC_BASE_URL is no address", fix);
  }
  const credentials = await credentialsOf(place);
  if ("status" in credentials) return credentials;
  const address: Address = {
    url: `${base.replace(/\/+$/, "")}/v1/messages`,
    shown: new URL(base).origin,
    fix: env["ANTHROPIC_BASE_URL"] ? `correct ${where}` : "look at the network",
    proxy: PROXIES.find((name) => env[name]),
  };
  try {
    return await judge(address, place, credentials);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return judgeFailure(address, place, error.message);
  }
}

interface Address {
  readonly url: string;
  /** Its origin, without what may be secret. */
  readonly shown: string;
  readonly fix: string;
  /** The variable that names a proxy. */
  readonly proxy: string | undefined;
}

async function judge(
  { fix: fixAddress, proxy, shown, url }: Address,
  place: ModelPlace,
  credentials: Credentials,
): Promise<Finding> {
  const began = performance.now();
  const { body, message, status, type } = await post(
    `${url}/count_tokens?beta=true`,
    { model: place.model, messages: [{ role: "user", content: "Hello" }] },
    place,
    credentials,
  );
  const ms = Math.round(performance.now() - began);
  const found = (level: FindingStatus, text: string, fix?: string) =>
    finding("model", level, text, fix, { origin: shown, status, ms });
  const refused = (status: number, message: string) => {
    if (credentials.source === "") {
      return found("note", `${shown} answers; there is no key to try`);
    }
    const text = `${shown} refused ${credentials.source} (${status})${
      message && `: ${message}`
    }`;
    return found("error", text, credentials.fix);
  };
  if (typeof body?.["input_tokens"] === "number") {
    const key = credentials.source && ` and took ${credentials.source}`;
    const text = `${place.model} at ${shown} answered after ${ms} ms${key}`;
    return found("ok", text);
  }
  if (REFUSED.has(status) && (body !== undefined || status === 401)) {
    return refused(status, message);
  }
  if (status === 404 && body !== undefined && /model/i.test(message)) {
    const model = place.locate("model") ?? sourceOf(place, "ANTHROPIC_MODEL");
    const text = `${shown} has no model "${place.model}": ${message}`;
    return found("error", text, `name another model in ${model}`);
  }
  if (status === 404 || status === 405) {
    // Gateways need not count tokens. A prompt without content is refused, and costs nothing.
    const other = await post(`${url}?beta=true`, {}, place, credentials);
    if (REFUSED.has(other.status)) return refused(other.status, other.message);
    const isModel = other.body !== undefined &&
      (other.status === 400 || other.status === 422);
    if (!isModel) {
      const text =
        `${shown} is not the address of a model: ${status} at /v1/messages`;
      return found("error", text, fixAddress);
    }
    const text =
      `${shown} answers, but counts no tokens, so the key was not tried`;
    return found("unproven", text, TRY);
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
  const fix =
    `open a page in a browser and log in to the network, or ${fixAddress}`;
  return found("error", text, fix);
}

function judgeFailure(
  { fix, proxy, shown }: Address,
  { host }: ModelPlace,
  failure: string,
): Finding {
  const permission = permissionFix(failure);
  if (permission !== undefined) {
    const text = `The key was not tried: ${failure}`;
    return finding("model", "unproven", text, permission);
  }
  // The CLI may reach it by a proxy that this runtime does not use.
  if (proxy !== undefined) {
    const text =
      `The key was not tried: ${shown} was not reached from ${host.name}, and the CLI uses ${proxy}`;
    return finding("model", "unproven", text, TRY);
  }
  // The CLI also trusts the authorities of the system and of NODE_EXTRA_CA_CERTS, this program may not.
  if (/certificate|self.signed|issuer|UNABLE_TO_/i.test(failure)) {
    const text =
      `${shown} has a certificate that ${host.name} does not trust, so the key was not tried: ${failure}`;
    const fix =
      "name the file with your own authority in NODE_EXTRA_CA_CERTS (Deno: DENO_CERT)";
    return finding("model", "unproven", text, fix);
  }
  return finding("model", "error", `${shown} ${failure}`, fix);
}

interface Answer {
  readonly status: number;
  readonly type: string;
  /** The body, if it is JSON. */
  readonly body: JsonObject | undefined;
  /** The message of the error, without secrets. */
  readonly message: string;
}

/** No answer came. */
class Unreachable extends Error {}

/** Sends JSON; rejects with {@link Unreachable} where no answer comes. */
async function post(
  url: string,
  body: JsonObject,
  { clock = systemClock, signal }: ModelPlace,
  { headers, secrets }: Credentials,
): Promise<Answer> {
  const hidden = (text: string) =>
    cut(secrets.reduce((rest, one) => rest.replaceAll(one, REDACTED), text));
  const late = new Unreachable(`did not answer in ${ANSWER_MS} ms`);
  try {
    return await withTimeout(async (ending) => {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        signal: ending,
        headers: {
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
          "user-agent": `sluice/${VERSION}`,
          ...headers,
        },
        body: JSON.stringify(body),
      });
      const json = parsed(await response.text());
      const error = json?.["error"];
      const message = isObject(error) ? error["message"] : json?.["message"];
      return {
        status: response.status,
        type: response.headers.get("content-type")?.split(";")[0] ?? "",
        body: json,
        message: hidden(typeof message === "string" ? message : ""),
      };
    }, { clock, signal, ms: ANSWER_MS, onTimeout: () => late });
  } catch (error) {
    signal?.throwIfAborted();
    if (error === late) throw error;
    const { cause = error } = error as Error;
    // Node joins all that it tried in an error without a message.
    const first = cause instanceof AggregateError ? cause.errors[0] : cause;
    throw new Unreachable(`cannot be reached: ${hidden(textOfError(first))}`);
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value as JsonObject : undefined;
  } catch {
    return undefined;
  }
}
