import assert from "node:assert/strict";
import { query } from "@sluice/agent";
import { record } from "@sluice/agent/testing";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { packed } from "../_planted.ts";
import {
  isAnswerTo,
  isRequest,
  logSpy,
  memoryCli,
  REPLY,
  requestLine,
  responseOf,
  textIn,
} from "./_rig.ts";

/** Long enough for base64 of several lines, with characters that every encoding escapes. */
const SECRET = `z8f3?&~/?éé&/'"~<>+=\\% ${
  "correct-horse-battery-staple ".repeat(3)
}Z`;

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const wrapped = (text: string, width: number, end = "\n") =>
  text.replace(new RegExp(`.{${width}}(?=.)`, "g"), `$&${end}`);
const escaped = (pattern: RegExp, write: (code: string) => string) =>
  SECRET.replace(
    pattern,
    (one) => write((one.codePointAt(0) ?? 0).toString(16).padStart(2, "0")),
  );
const urlPath = () => {
  const url = new URL("http://host");
  url.password = SECRET;
  return url.password;
};

assert.match(packed(SECRET), /\+.*\/|\/.*\+/);

/** The secret as different programs write it. */
const ENCODINGS: Readonly<Record<string, string>> = {
  "plain": SECRET,
  "JSON": json(SECRET),
  "JSON in JSON": json(json(SECRET)),
  "JSON in a URL": encodeURIComponent(json(SECRET)),
  "ASCII JSON (\\u00e9)": json(SECRET).replace("é", "\\u00e9"),
  "JSON for HTML (\\u0026, \\u003c)": json(SECRET)
    .replace(/[&<>']/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  "JSON of PHP (\\/)": json(SECRET).replaceAll("/", "\\/"),
  "hex escapes (\\xe9)": escaped(/[^ -~]|[\\'"]/g, (code) => `\\x${code}`),
  "code points (\\u{e9})": escaped(/\W/g, (code) => `\\u{${code}}`),
  "shell (\\&)": SECRET.replace(/[^\wé-]/g, "\\$&"),
  "encodeURIComponent()": encodeURIComponent(SECRET),
  "encodeURIComponent() in lower case": encodeURIComponent(SECRET)
    .replace(/%../g, (one) => one.toLowerCase()),
  "encodeURIComponent() twice": encodeURIComponent(encodeURIComponent(SECRET)),
  "new URL() (%27)": urlPath(),
  "URLSearchParams (%7E, +)": new URLSearchParams({ a: SECRET }).toString()
    .slice(2),
  "quote() of Python": encodeURIComponent(SECRET)
    .replaceAll("%2F", "/").replaceAll("'", "%27"),
  "HTML (&apos;)": SECRET.replaceAll("&", "&amp;").replaceAll("'", "&apos;")
    .replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "HTML (&#x27;)": escaped(/[&'"<>é]/g, (code) => `&#x${code};`),
  "HTML (&#39;)": SECRET.replace(
    /[&'"<>é]/g,
    (one) => `&#${one.charCodeAt(0)};`,
  ),
  "base64": packed(SECRET),
  "base64url": packed(SECRET).replaceAll("+", "-").replaceAll("/", "_"),
  "base64 of a longer text": packed(`${SECRET} and more`),
  "base64 in a URL": encodeURIComponent(packed(SECRET)),
  "base64 in lines of 64": wrapped(packed(SECRET), 64),
  "base64 in lines of 76": wrapped(packed(SECRET), 76, "\r\n"),
  "base64 in indented lines": wrapped(packed(SECRET), 64, "\n    "),
  "base64 in lines, in JSON": json(wrapped(packed(SECRET), 76)),
  "several lines": wrapped(SECRET, 35),
};

/** Base64 that stands behind that of the secret. */
const REST = packed(`${SECRET} and more`)
  .slice(1 + Math.floor(new TextEncoder().encode(SECRET).length * 4 / 3));
const SAID = Object.entries(ENCODINGS)
  .map(([name, text]) => `[${name}] <<${text}>>\n`).join("");
const SHOWN = Object.keys(ENCODINGS)
  .map((name) => `[${name}] <<[redacted]>>\n`).join("")
  .replace(/longer text\] <<\[redacted\]/, `$&${REST}`);

/** Redacted form of a secret: padding of base64 may be left. */
function shown(text: string): string {
  return text.replace(/\](?:=|%3D)+>>/g, "]>>")
    .replace(new RegExp(`\\]\\w${REST}`, "g"), `]${REST}`);
}

test(
  "no usual encoding of a secret passes into an error, a log line or a recording",
  async () => {
    const log = logSpy();
    const recording: string[] = [];
    const { transport, peer } = memoryCli();
    const conversation = query("x", {
      env: { MY_TOKEN: SECRET },
      transport: record(transport, (line) => void recording.push(line)),
      logger: log.logger,
      permissions: {
        canUseTool: () => {
          throw new Error(SAID);
        },
      },
    });
    await conversation.ready;
    await peer.send(requestLine("ask", {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "ls" },
      tool_use_id: "t1",
    }));
    const denial = responseOf(await peer.line(isAnswerTo("ask")));
    await peer.send({ type: "note", text: SAID });
    peer.end({ code: 1, stderrTail: SAID });
    const [{ error }, errors] = await Promise.all([
      collect(conversation),
      collect(conversation.errors),
    ]);
    await conversation.close();
    const { stderrTail } = error as { stderrTail?: string };
    assert.equal(shown(stderrTail ?? ""), SHOWN);
    const reported = textIn(errors.items);
    assert.ok(shown(reported).includes(SHOWN), reported);
    const logged = log.lines.map(({ message }) => message).join("\n");
    assert.ok(shown(logged).includes(SHOWN), logged);
    const answer = textIn(denial);
    assert.ok(shown(answer).includes(SHOWN), answer);
    const recorded = recording
      .map((line) =>
        JSON.parse(line) as { msg?: { text?: string }; text?: string }
      )
      .flatMap(({ msg, text }) => [msg?.text, text])
      .filter((text) => text !== undefined);
    assert.deepEqual(recorded.map(shown), [SHOWN, SHOWN]);
  },
  { ids: ["E-07"] },
);

test(
  "no error, log line or argument holds a secret of a control request or a server",
  async () => {
    const secret = "hid-4711-secret";
    const headers = { Authorization: `Bearer ${secret}`, "X-Short": "hid" };
    const url = `http://me:${secret}@127.0.0.1:9/mcp`;
    const servers = {
      docs: { type: "http" as const, url, headers, via: "cli" as const },
    };
    const log = logSpy();
    const { transport, peer } = memoryCli({
      initialize: { ...REPLY, mcp_servers_applied: true },
      mcp_set_servers: () => undefined,
      set_model: () => undefined,
    });
    let args: readonly string[] = [];
    const conversation = query("x", {
      transport: {
        open(launch, signal) {
          args = launch.args;
          return transport.open(launch, signal);
        },
      },
      mcpServers: servers,
      logger: log.logger,
    });
    await conversation.ready;
    assert.ok(!args.join(" ").includes("hid"));
    const late = await conversation.setMcpServers(servers, { timeoutMs: 1 })
      .catch((error) => error);
    assert.equal(late.code, "protocol_timeout");
    const refused = conversation.setModel("m").catch((error) => error);
    const { request_id: id } = await peer.line(isRequest("set_model"));
    await peer.send({
      type: "control_response",
      response: {
        subtype: "error",
        request_id: id ?? null,
        error: `No: ${secret}`,
      },
    });
    const error = await refused;
    assert.match(error.message, /No: \[redacted\]/);
    await conversation.close();
    const told = textIn([late, error, log.lines]);
    assert.match(told, /Control request timed out/);
    assert.ok(!told.includes(secret), told);
    assert.doesNotMatch(textIn(log.lines), /^hid$/m);
  },
  { ids: ["E-07", "T-07", "MI-20"] },
);
