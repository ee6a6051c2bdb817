import { Hono } from "hono";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Client, type Conversation, query, textStream } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { reasonWithoutCli, TESTED_VERSION, withRealCli } from "../_real_cli.ts";
import { isGoneWithin, needsProc, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { shellEnvironment, withStandIn } from "./_program.ts";

const PAGE = new URL("../../docs/github_actions.md", import.meta.url);

/** The block of a language on the page. */
async function blockOf(language: string): Promise<string> {
  const page = await readFile(PAGE, "utf8");
  const [, block] = page.split(`\n\`\`\`${language}\n`);
  assert.ok(block !== undefined, language);
  return block.split("\n```")[0] ?? "";
}

test("A client that leaves an answer behind Hono ends the CLI", async () => {
  const fake = fakeCli([[{ say: "Once upon a time" }, { wait: 600_000 }]]);
  try {
    const app = new Hono();
    const conversations: Conversation[] = [];
    app.post("/ask", async (context) => {
      const conversation = query(await context.req.text(), {
        cliPath: fake.cliPath,
        includePartialMessages: true,
      });
      conversations.push(conversation);
      return new Response(
        textStream(conversation).pipeThrough(new TextEncoderStream()),
      );
    });
    const { body } = await app.request("/ask", { method: "POST", body: "hi" });
    const reader = body?.getReader();
    const { value } = await reader?.read() ?? {};
    assert.match(new TextDecoder().decode(value), /^Once/);
    await reader?.cancel();
    const [only] = await fake.until(([one]) => one !== undefined);
    assert.ok(await isGoneWithin(20_000, only?.pid ?? 0));
    for (const conversation of conversations) await conversation.close();
  } finally {
    await fake.close();
  }
}, { skip: needsShell ?? needsProc });

test("A client that leaves a response of Node ends a silent CLI", async () => {
  const fake = fakeCli([[{ say: "Once upon a time" }, { wait: 600_000 }]]);
  const closing: Promise<void>[] = [];
  const server = createServer(async (_request, response) => {
    const conversation = query("hi", {
      cliPath: fake.cliPath,
      includePartialMessages: true,
    });
    response.on("close", () => closing.push(conversation.close()));
    await pipeline(textStream(conversation), response).catch(() => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const { body } = await fetch(`http://127.0.0.1:${port}`);
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const [only] = await fake.until(([one]) => one !== undefined);
    assert.ok(await isGoneWithin(20_000, only?.pid ?? 0));
    await Promise.all(closing);
  } finally {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await fake.close();
  }
}, { skip: needsShell ?? needsProc });

test(
  "The steps of the GitHub Action do what they say, in their order",
  async () => {
    const action = await blockOf("yaml");
    assert.ok(action.includes(`claude-code@${TESTED_VERSION} `));
    const steps = [
      ...action.matchAll(/^ {6}- run: (?:\|\n((?: {10}.*\n)+)|(.*))/gm),
    ]
      .map(([, lines = "", line = ""]) =>
        (lines || line).replaceAll(/^ {10}/gm, "")
      )
      .filter((step) => step.includes("sluice ") && !step.startsWith("npm "));
    assert.equal(steps.length, 3);
    await withStandIn({
      turns: "It looks good.",
      initialize: { account: { apiKeySource: "ANTHROPIC_API_KEY" } },
    }, async (standIn) => {
      const { folder } = standIn;
      const env = await shellEnvironment(standIn);
      const git = (...args: readonly string[]) => {
        const user = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        execFileSync("git", [...user, ...args], {
          cwd: folder,
          stdio: "ignore",
        });
      };
      git("init");
      git("commit", "--allow-empty", "--message=first");
      git("update-ref", "refs/remotes/origin/main", "HEAD");
      await writeFile(join(folder, "new.txt"), "a new line\n");
      git("add", "new.txt");
      git("commit", "--message=second");
      const summary = join(folder, "summary.md");
      for (const step of steps) {
        const child = spawn("/bin/sh", ["-e", "-c", step], {
          cwd: folder,
          env: {
            ...env,
            ANTHROPIC_API_KEY: "sk-ant-secret",
            GITHUB_BASE_REF: "main",
            GITHUB_STEP_SUMMARY: summary,
          },
          stdio: ["ignore", "ignore", "pipe"],
        });
        let stderr = "";
        child.stderr.on("data", (bytes) => stderr += String(bytes));
        const [code] = await once(child, "close");
        // Whether the model answers is not for this test to say.
        if (step.includes("doctor")) assert.doesNotMatch(stderr, /error/);
        else assert.equal(code, 0, step + stderr);
      }
      assert.match(await readFile(summary, "utf8"), /It looks good\./);
      assert.match(
        await readFile(join(folder, "run.html"), "utf8"),
        /\+a new line/,
      );
      for (const name of ["run.jsonl", "run.html"]) {
        const text = await readFile(join(folder, name), "utf8");
        assert.doesNotMatch(text, /sk-ant-secret/);
      }
    });
  },
  { skip: needsShell },
);

/** A gateway that refuses everything; the headers of the first request whose path begins so can be awaited. */
async function withGateway(
  use: (
    url: string,
    asked: (path: string) => Promise<IncomingHttpHeaders>,
  ) => Promise<void>,
): Promise<void> {
  const waiting = new Map<string, (headers: IncomingHttpHeaders) => void>();
  const server = createServer(({ headers, url = "" }, response) => {
    for (const [path, tell] of waiting) if (url.startsWith(path)) tell(headers);
    response.writeHead(400).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await use(
      `http://127.0.0.1:${port}`,
      (path) => new Promise((resolve) => waiting.set(path, resolve)),
    );
  } finally {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

test(
  "The environment alone sends the real CLI to a gateway, with its token, or to Bedrock",
  () =>
    withGateway((url, asked) =>
      withRealCli([], async ({ options }) => {
        const { HOME = "", PATH = "" } = options.env;
        for (
          const [path, token, provider, env] of [
            ["/v1/messages", "a-token", "firstParty", {
              ANTHROPIC_BASE_URL: url,
              ANTHROPIC_AUTH_TOKEN: "a-token",
            }],
            ["/model/", "b-token", "bedrock", {
              CLAUDE_CODE_USE_BEDROCK: "1",
              ANTHROPIC_BEDROCK_BASE_URL: url,
              AWS_REGION: "eu-north-1",
              AWS_BEARER_TOKEN_BEDROCK: "b-token",
            }],
          ] as const
        ) {
          const request = asked(path);
          const client = new Client({
            ...options,
            env: { HOME, PATH, ...env },
          });
          try {
            const { account } = await client.connect();
            assert.equal(account.apiProvider, provider);
            // It ends with the client.
            client.text("Hello").catch(() => {});
            assert.equal((await request).authorization, `Bearer ${token}`);
          } finally {
            await client.close();
          }
        }
      })
    ),
  { skip: reasonWithoutCli },
);
