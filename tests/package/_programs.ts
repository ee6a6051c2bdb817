/** How the programs of `programs/` are used, and what has to come of it; `scripts/check/programs.ts` starts them. */
import assert from "node:assert/strict";
import type { FakeCliScript, ModelTurn } from "@sluice/agent/testing";
import { ROOT_PATH } from "../../scripts/project.ts";
import { freePort } from "../_ports.ts";
import { Page, type Running } from "./_running.ts";

/** One program: what is behind it, and what is done with it. */
export interface Program {
  /** Answers of the model to the real CLI. */
  readonly model?: readonly ModelTurn[];
  /** Behaviour of a stand-in for the CLI. */
  readonly cli?: FakeCliScript;
  /** Other behaviour of its first process. */
  readonly first?: FakeCliScript;
  /** Uses it, and throws each fault. */
  use(rig: Rig): Promise<void>;
}

/** Surroundings of a program. */
export interface Rig {
  /** The runtime, the commands that run the tests of a program, the command up to a program, and the folder of its project, which has `node_modules`. */
  readonly host: {
    readonly name: string;
    readonly testers: readonly (readonly string[])[];
    readonly command: readonly string[];
    readonly project: string;
  };
  /** An empty folder, in which it starts unless another is given. */
  readonly folder: string;
  /** Starts it. */
  start(args?: readonly string[], options?: StartOptions): Running;
  /** Runs a command of any kind in the same surroundings. */
  run(command: readonly string[], options?: StartOptions): Running;
  /** Results of the program's tools, as the stand-in got them. */
  results(): readonly string[];
  /** Waits until that many processes of the stand-in are gone. */
  gone(count: number): Promise<void>;
}

/** How a program is started. */
export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a terminal of its own. */
  readonly isInTerminal?: boolean;
}

/** The programs by name. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  structured_output: {
    model: [{
      tool: "StructuredOutput",
      input: {
        title: "Dal",
        minutes: 25,
        ingredients: [{ name: "Lentils", grams: 200 }, {
          name: "Onion",
          grams: 50,
        }],
        diet: "vegan",
      },
    }],
    async use({ start }) {
      assert.equal(
        await start().succeed(),
        "Dal: 25 minutes, 250 g\nWithout anything of animals\n",
      );
    },
  },
  tools: {
    cli: [[
      { tool: "mcp__home__shop__stock", input: { article: "tea" } },
      { tool: "mcp__home__shop__price", input: { packets: 7 } },
      { tool: "mcp__home__shop__order", input: { packets: 0.5 } },
      { tool: "mcp__home__everything__echo", input: { message: "7 packets" } },
      "Seven.",
    ]],
    async use({ start, host, results }) {
      const program = start([], { cwd: host.project });
      assert.equal(
        await program.succeed(),
        "everything: ready\nshop: ready\nSeven.\n",
      );
      const [stock, price, order, echo] = results();
      assert.equal(stock, '{"article":"tea","packets":7}');
      assert.equal(price, "2450");
      assert.match(String(order), /packets: expected integer/);
      assert.equal(echo, "Echo: 7 packets");
    },
  },
  tidy: {
    async use({ host, run }) {
      for (const tester of host.testers) {
        await run(tester, { cwd: host.project }).succeed();
      }
    },
  },
  resume: {
    model: [
      "Noted.",
      ({ body }) =>
        `It was ${/number (\d+)/.exec(JSON.stringify(body["messages"]))?.[1]}.`,
    ],
    async use({ start }) {
      const first = start(["Remember the number 7."]);
      assert.equal(await first.succeed(), "Noted.\n");
      assert.equal(await start(["Which was it?"]).succeed(), "It was 7.\n");
    },
  },
  port: {
    cli: [[
      { tool: "mcp__shop__stock", input: { article: "tea" } },
      { tool: "Bash", input: { command: "rm tea.txt" } },
      "Seven; I may not delete.",
    ]],
    async use({ start, results }) {
      const output = await start().succeed();
      assert.match(output, /^\s*Called: mcp__shop__stock\n/);
      assert.match(output, /Seven; .*\nsuccess, 3 turns\n$/);
      assert.deepEqual(results(), ["7 packets of tea"]);
    },
  },
  oauth: {
    cli: [[
      { tool: "mcp__greeter__greet", input: { name: "Ada" } },
      "Greeted.",
    ]],
    async use({ start, run, results }) {
      const mcp = await freePort();
      const issuer = await freePort();
      const callback = await freePort();
      const server = run(
        ["node", `${ROOT_PATH}${OAUTH_SERVER}`, "--oauth", "--oauth-strict"],
        { env: { MCP_PORT: String(mcp), MCP_AUTH_PORT: String(issuer) } },
      );
      await server.says(/listening on port \d+[^]*listening on port \d+/);
      const address = `http://localhost:${mcp}/mcp`;
      const program = start([address, String(callback)]);
      const [, url = ""] = await program.says(/Open: (.*)\n/);
      // The browser: this server signs in every visitor, and redirects to the program.
      assert.match(await (await fetch(url)).text(), /Signed in/);
      assert.match(await program.succeed(), /\nGreeted\.\n$/);
      assert.deepEqual(results(), ["Hello, Ada!"]);
    },
  },
  chat: {
    model: [
      "Tea, please.",
      { text: "I could go on and on", hang: true },
      ({ lastText }) => `You said: ${lastText}`,
    ],
    async use({ start }) {
      const chat = start([], { isInTerminal: true });
      await chat.says(/> $/);
      await chat.type("Tea or coffee?\n");
      await chat.says(/Tea, please\.\r?\n> $/);
      await chat.type("Tell me all about tea.\n");
      await chat.says(/on and on$/);
      await chat.type(CTRL_C);
      await chat.says(/\(stopped\)\r?\n> $/);
      await chat.type("Thanks.\n");
      await chat.says(/You said: [^]*Thanks\.\r?\n> $/);
      await chat.type(CTRL_C);
      await chat.says(/Bye\.\r?\n/);
      await chat.succeed();
    },
  },
  small_chat: {
    cli: ["Tea, please.", "You are welcome."],
    async use({ start }) {
      const chat = start();
      await chat.says(/> $/);
      await chat.type("Tea or coffee?\n");
      await chat.says(/Tea, please\.\n> $/);
      await chat.type("Thanks.\n");
      await chat.end();
      assert.match(await chat.succeed(), /You are welcome\.\n> $/);
    },
  },
  repl: {
    cli: ["Tea, please.", "You are welcome."],
    async use({ host, run }) {
      if (host.name !== "deno") return;
      const [deno = "", ...flags] = host.command;
      const config = flags.slice(flags.indexOf("--config"));
      const repl = run([deno, "repl", "-A", "--quiet", ...config], {
        cwd: host.project,
      });
      await repl.type('import { Client } from "@sluice/agent"\n');
      await repl.type("const client = new Client()\n");
      await repl.type("await client.connect()\n");
      await repl.type('await client.text("Tea or coffee?")\n');
      await repl.says(/"Tea, please\."/);
      await repl.type('await client.text("Thanks.")\n');
      await repl.says(/"You are welcome\."/);
      await repl.type("await client.close()\n");
      await repl.end();
      await repl.succeed();
    },
  },
  web_server: {
    cli: [[
      { tool: "Bash", input: { command: "ls" } },
      { say: "Two files.", chunks: 2 },
    ]],
    async use({ start, gone }) {
      const server = start([], { env: { PORT: "0" } });
      const [, port] = await server.says(/port: (\d+)/);
      const site = `http://127.0.0.1:${port}`;
      assert.match(await (await fetch(site)).text(), /<title>Agent/);
      const ask = `${site}/ask?prompt=${encodeURIComponent("What is here?")}`;

      const page = await Page.open(ask);
      const asked = JSON.parse(await page.next("requests", /"tool"/));
      const [request] = asked.pending;
      assert.equal(request.tool, "Bash");
      const answer = () =>
        fetch(`${site}/answer`, {
          method: "POST",
          body: new URLSearchParams({
            page: asked.page,
            id: request.id,
            allow: "yes",
          }),
        });
      assert.equal((await answer()).status, 204);
      assert.equal((await answer()).status, 409);
      assert.match(await page.next("end"), /success/);
      assert.equal(page.text, "Two files.");
      await page.close();

      // A body that breaks off ends its own request alone: the next page works.
      const broken = await Deno.connect({ port: Number(port) });
      await broken.write(new TextEncoder().encode(BROKEN_POST));
      broken.close();

      const left = await Page.open(ask);
      await left.next("requests", /"tool"/);
      await left.close();
      await gone(2);
      await server.stop();
    },
  },
  batch: {
    cli: [{ result: { total_cost_usd: 0.01 } }],
    first: [{
      result: {
        subtype: "error_during_execution",
        is_error: true,
        api_error_status: 529,
        total_cost_usd: 0.01,
      },
    }],
    async use({ start, folder, host }) {
      const count = host.name === "node" ? 200 : 40;
      const prompts = Array.from({ length: count }, (_, one) => `Sum ${one}`);
      await Deno.writeTextFile(`${folder}/prompts.txt`, prompts.join("\n"));
      assert.equal(
        await start().succeed(),
        `${count} answers, 0 failures, 1 retries\n${
          ((count + 1) / 100).toFixed(2)
        } USD\n`,
      );
    },
  },
};

const BROKEN_POST =
  "POST /answer HTTP/1.1\r\nHost: page\r\nContent-Length: 99\r\n\r\nid=";

const CTRL_C = "\x03";

/** An OAuth server and an MCP server behind it, of the MCP SDK. */
const OAUTH_SERVER =
  "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js";
