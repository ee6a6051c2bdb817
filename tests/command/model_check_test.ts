import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkModel } from "../../src/command/model_check.ts";
import type { ModelPlace } from "../../src/command/model_credentials.ts";
import { host, needsShell } from "../_children.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { test } from "../_harness.ts";

const KEY = "planted-0123456789-of-no-known-form";

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void | Promise<void>;

/** A model's address on this machine, until the test is over. */
async function withAddress(
  answer: Answer,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => body += String(bytes));
    request.on("end", () => void answer(request, response, body));
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}

function says(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const isText = typeof body === "string";
  const type = isText ? "text/html" : "application/json";
  return (_request, response) => {
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}

function refusal(status: number, type: string, message: string): Answer {
  return says(status, { type: "error", error: { type, message } });
}

/** One answer for counting, another for prompts. */
function both(count: Answer, prompt: Answer): Answer {
  return (request, response, body) =>
    (request.url?.includes("count_tokens") ? count : prompt)(
      request,
      response,
      body,
    );
}

async function place(
  env: Readonly<Record<string, string>>,
  more: Partial<ModelPlace> = {},
): Promise<ModelPlace> {
  const self = await host();
  return {
    host: { ...self, env: () => ({}) },
    env: { ANTHROPIC_API_KEY: KEY, PATH: "/usr/bin:/bin", ...env },
    cwd: tmpdir(),
    account: { apiKeySource: "ANTHROPIC_API_KEY", tokenSource: "none" },
    model: "claude-opus-5-5",
    locate: () => undefined,
    ...more,
  };
}

const NOT_FOUND = says(404, "<html>not here</html>");
const NO_COUNT = refusal(404, "not_found_error", "Not found");

/** What is planted at the address, and what doctor has to say of it. */
const PLANTED: Readonly<
  Record<
    string,
    readonly [plant: Answer, status: string, text: RegExp, fix?: RegExp]
  >
> = {
  "a model": [says(200, { input_tokens: 8 }), "ok", /took ANTHROPIC_API_KEY$/],
  "a wrong key": [
    refusal(401, "authentication_error", `invalid x-api-key ${KEY}`),
    "error",
    /refused ANTHROPIC_API_KEY \(401\): invalid x-api-key \[redacted\]/,
    /^correct ANTHROPIC_API_KEY$/,
  ],
  "a wrong key, said in HTML": [
    says(401, "<html>"),
    "error",
    /refused ANTHROPIC_API_KEY \(401\)$/,
    /^correct ANTHROPIC_API_KEY$/,
  ],
  "a key without rights": [
    refusal(403, "permission_error", "no access"),
    "error",
    /\(403\): no access/,
    /ANTHROPIC_API_KEY/,
  ],
  "a firewall": [says(403, "<html>"), "error", /a page \(403/, /browser/],
  "a captive portal": [
    says(200, "<html>Welcome to our hotel</html>"),
    "error",
    /a page \(200 text\/html\)/,
    /log in to the network, or correct ANTHROPIC_BASE_URL/,
  ],
  "a captive portal that redirects": [
    says(302, "", { location: "http://127.0.0.1:9/login" }),
    "error",
    /a redirect \(302/,
    /log in to the network/,
  ],
  "a portal that says so": [says(511, "<html>"), "error", /511/, /browser/],
  "JSON of something else": [says(200, { hello: 1 }), "error", /\(200/, /./],
  "a 404": [
    NOT_FOUND,
    "error",
    /is not the address of a model: 404/,
    /^correct ANTHROPIC_BASE_URL$/,
  ],
  "a gateway that counts no tokens": [
    both(NO_COUNT, refusal(400, "invalid_request_error", "model: required")),
    "unproven",
    /counts no tokens, so the key was not tried/,
    /sluice run/,
  ],
  "a gateway that counts no tokens and refuses the key": [
    both(NO_COUNT, refusal(401, "authentication_error", "who are you")),
    "error",
    /refused ANTHROPIC_API_KEY \(401\): who are you/,
    /ANTHROPIC_API_KEY/,
  ],
  "an unknown model": [
    refusal(404, "not_found_error", "model: claude-opus-5-5"),
    "error",
    /has no model "claude-opus-5-5"/,
    /name another model/,
  ],
  "a limit": [
    refusal(429, "rate_limit_error", "slow down"),
    "unproven",
    /429: slow down/,
    /later/,
  ],
  "an overload": [
    refusal(529, "overloaded_error", "Overloaded"),
    "unproven",
    /529: Overloaded/,
    /later/,
  ],
  "a connection that breaks": [
    (_request, response) => void response.destroy(),
    "error",
    /cannot be reached/,
    /correct ANTHROPIC_BASE_URL/,
  ],
};

for (
  const [name, [plant, status, text, fix]] of Object.entries(PLANTED)
) {
  test(`sluice doctor recognizes ${name} at the model's address`, async () => {
    await withAddress(plant, async (url) => {
      const found = await checkModel(await place({ ANTHROPIC_BASE_URL: url }));
      assert.equal(found.status, status, found.text);
      assert.match(found.text, text);
      if (fix !== undefined) assert.match(found.fix ?? "", fix);
      assert.doesNotMatch(JSON.stringify(found), /planted-0123/);
    });
  });
}

test("sluice doctor recognizes addresses that are refused, unknown, or none", async () => {
  const cases = [
    ["http://127.0.0.1:9", /cannot be reached/],
    ["http://no-such-host.invalid", /cannot be reached/],
    ["user:secret@gateway", /is no address/],
    ["ftp://gateway", /is no address/],
  ] as const;
  for (const [url, text] of cases) {
    const found = await checkModel(await place({ ANTHROPIC_BASE_URL: url }));
    assert.equal(found.status, "error");
    assert.match(found.text, text);
    assert.match(found.fix ?? "", /ANTHROPIC_BASE_URL/);
    assert.doesNotMatch(JSON.stringify(found), /secret/);
  }
});

test("sluice doctor waits for a slow model, and not for ever for one that hangs", async () => {
  for (const isSlow of [true, false]) {
    const clock = new FakeClock();
    await withAddress(async (_request, response) => {
      await clock.advance(9_999);
      if (isSlow) response.end('{"input_tokens":1}');
      else await clock.advance(1);
    }, async (url) => {
      const env = { ANTHROPIC_BASE_URL: url };
      const found = await checkModel(await place(env, { clock }));
      assert.equal(found.status, isSlow ? "ok" : "error");
      if (!isSlow) assert.match(found.text, /did not answer in 10000 ms/);
    });
  }
});

test("A slow body counts as silence of the model's address", async () => {
  const clock = new FakeClock();
  await withAddress(async (_request, response) => {
    response.write("{");
    await clock.advance(10_000);
  }, async (url) => {
    const env = { ANTHROPIC_BASE_URL: url };
    const found = await checkModel(await place(env, { clock }));
    assert.match(found.text, /did not answer in 10000 ms/);
  });
});

/** What the address got as credentials. */
async function sent(
  env: Readonly<Record<string, string>>,
  more: Partial<ModelPlace> = {},
) {
  const got: IncomingMessage["headers"][] = [];
  let status = "";
  await withAddress((request, response, body) => {
    got.push(request.headers);
    assert.match(request.url ?? "", /^\/v1\/messages\/count_tokens\?/);
    assert.equal(JSON.parse(body).model, "claude-opus-5-5");
    response.end('{"input_tokens":1}');
  }, async (url) => {
    const all = {
      ANTHROPIC_API_KEY: "",
      ANTHROPIC_BASE_URL: `${url}/`,
      ...env,
    };
    ({ status } = await checkModel(await place(all, more)));
  });
  const [headers = {}] = got;
  return {
    status,
    key: headers["x-api-key"],
    token: headers.authorization,
    beta: headers["anthropic-beta"],
    headers,
  };
}

test(
  "sluice doctor sends the credentials that the CLI was seen to send",
  async () => {
    const login = { tokenSource: "CLAUDE_CODE_OAUTH_TOKEN" };
    const helper = { apiKeyHelper: "echo from-helper" };
    const key = await sent({ ANTHROPIC_API_KEY: "a-key" });
    assert.deepEqual([key.key, key.token, key.beta], [
      "a-key",
      undefined,
      undefined,
    ]);
    const two = await sent({
      ANTHROPIC_API_KEY: "a-key",
      ANTHROPIC_AUTH_TOKEN: "a-token",
    });
    assert.deepEqual([two.key, two.token], ["a-key", "Bearer a-token"]);
    const printed = await sent({}, helper);
    assert.deepEqual([printed.key, printed.token], [
      "from-helper",
      "Bearer from-helper",
    ]);
    const mixed = await sent({ ANTHROPIC_AUTH_TOKEN: "a-token" }, helper);
    assert.deepEqual([mixed.key, mixed.token], [
      "from-helper",
      "Bearer a-token",
    ]);
    const token = await sent({ CLAUDE_CODE_OAUTH_TOKEN: "oat" }, {
      account: login,
    });
    assert.deepEqual([token.key, token.token, token.beta], [
      undefined,
      "Bearer oat",
      "oauth-2025-04-20",
    ]);
    const custom = await sent({
      ANTHROPIC_API_KEY: "a-key",
      ANTHROPIC_CUSTOM_HEADERS: "X-Team: one\nX-Other: two: three",
    });
    assert.equal(custom.headers["x-team"], "one");
    assert.equal(custom.headers["x-other"], "two: three");
  },
  { skip: needsShell },
);

test("sluice doctor tries the login of the CLI's file while it holds, and says otherwise what was not tried", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-login-"));
  try {
    const more = { account: {}, configFolder: folder };
    const write = (expiresAt: number) =>
      writeFile(
        join(folder, ".credentials.json"),
        JSON.stringify({ claudeAiOauth: { accessToken: "oat", expiresAt } }),
      );
    await write(Date.now() + 3_600_000);
    assert.equal((await sent({}, more)).token, "Bearer oat");
    await write(Date.now() - 1);
    assert.equal((await sent({}, more)).status, "unproven");
    await rm(join(folder, ".credentials.json"));
    assert.equal((await sent({}, more)).status, "unproven");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("sluice doctor says of Bedrock and Vertex what was not tried, and calls nobody", async () => {
  for (const apiProvider of ["bedrock", "vertex"] as const) {
    const found = await checkModel(
      await place({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }, {
        account: { apiProvider },
      }),
    );
    assert.equal(found.status, "unproven");
    assert.match(found.text, new RegExp(`of ${apiProvider} were not tried`));
  }
});

test(
  "sluice doctor names an apiKeyHelper that fails, prints nothing, or prints more than a key",
  async () => {
    const cases = [
      ["exit 3", /exit code 3/],
      ["true", /prints nothing/],
      ["echo Please log in", /more than a key/],
    ] as const;
    for (const [apiKeyHelper, problem] of cases) {
      const found = await checkModel(
        await place({ ANTHROPIC_API_KEY: "" }, {
          apiKeyHelper,
          locate: (key) => key === "apiKeyHelper" ? "/s.json:4" : undefined,
        }),
      );
      assert.equal(found.status, "error");
      assert.match(found.text, /^apiKeyHelper in \/s\.json:4 failed: /);
      assert.match(found.text, problem);
    }
  },
  { skip: needsShell },
);

test("sluice doctor without a key says whether the address is that of a model", async () => {
  const account = { tokenSource: "none" };
  await withAddress(
    refusal(401, "authentication_error", "x-api-key header is required"),
    async (url) => {
      const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: url };
      const found = await checkModel(await place(env, { account }));
      assert.equal(found.status, "note");
      assert.match(found.text, /there is no key to try/);
    },
  );
});

test("An address that is not reached is unproven where the CLI uses a proxy", async () => {
  const found = await checkModel(
    await place({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      HTTP_PROXY: "http://user:hunter2@127.0.0.1:9",
    }),
  );
  assert.equal(found.status, "unproven");
  assert.match(found.text, /127\.0\.0\.1:9 was not reached .* uses HTTP_PROXY/);
  assert.doesNotMatch(JSON.stringify(found), /hunter2/);
});
