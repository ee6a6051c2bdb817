import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import {
  directoryTranscripts,
  forkTranscript,
  listSubagents,
  listTranscripts,
  type MemoryTranscripts,
  memoryTranscripts,
  readTranscript,
  renameTranscript,
  restoreTranscript,
  TranscriptError,
} from "@sluice/agent/transcripts";
import { type AgentOptions, type Conversation, query } from "@sluice/agent";
import { fixture } from "../_children.ts";
import { collect } from "../_collect.ts";
import type { RealCli } from "../_real_cli.ts";
import { appears, bash, realTest } from "./_real.ts";

const HOST = new URL("../fixtures/transcripts_host.ts", import.meta.url);

/** Begins a session in a program of its own, and kills that once all is answered, and in the store if there is one. */
async function killedHost(
  cli: RealCli,
  prompts: readonly string[],
  folder?: string,
): Promise<string> {
  const { command, args, env } = fixture(
    HOST,
    JSON.stringify({ ...cli.options, prompts, folder }),
  );
  const host = spawn(command, args, { env });
  const gone = once(host, "exit");
  let stderr = "";
  host.stderr.on("data", (some) => stderr += some);
  let id = "";
  for await (const line of createInterface(host.stdout)) {
    if (line.startsWith("answered ")) id = line.slice("answered ".length);
    if (line === "all is kept") break;
  }
  // The watchdog ends what the host leaves behind.
  host.kill("SIGKILL");
  await gone;
  assert.ok(id, stderr);
  return id;
}

/** Another machine: nothing of the first one's home is there. */
async function elsewhere(
  { options, env }: RealCli,
  name: string,
): Promise<AgentOptions> {
  const home = `${env["HOME"]}-${name}`;
  await mkdir(home);
  return { ...options, env: { ...env, HOME: home } };
}

/** Asks once; gives the answer, the id, and what was reported beside it. */
async function ask(prompt: string, options: AgentOptions) {
  const conversation = query(prompt, options);
  const reading = collect(conversation.errors);
  const { session_id: id } = await conversation.result();
  const text = await conversation.text();
  await conversation.close();
  return { text, id, errors: (await reading).items };
}

async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "transcripts-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lastPrompt({ model }: RealCli): string {
  return JSON.stringify(model.requests.at(-1)?.body["messages"]);
}

realTest(
  "a session whose host was killed continues from the store on another machine, and back on the first one",
  ["One.", "Two.", "Three.", "Four."],
  (cli) =>
    withFolder(async (folder) => {
      const id = await killedHost(cli, ["first", "second"], folder);
      const transcripts = { store: directoryTranscripts(folder) };
      const there = await elsewhere(cli, "there");
      const third = await ask("third", { ...there, transcripts, resume: id });
      assert.equal(third.text, "Three.");
      assert.equal(third.id, id);
      for (const said of ["first", "One.", "second", "Two.", "third"]) {
        assert.ok(lastPrompt(cli).includes(said), said);
      }
      // The files of the first machine are older than the store.
      const fourth = await ask("fourth", {
        ...cli.options,
        transcripts,
        resume: id,
      });
      assert.equal(fourth.text, "Four.");
      for (const said of ["One.", "third", "Three.", "fourth"]) {
        assert.ok(lastPrompt(cli).includes(said), said);
      }
      assert.deepEqual(fourth.errors, []);
      const all = await readTranscript(id, { ...transcripts, cwd: cli.cwd });
      assert.deepEqual(
        all.filter(({ type }) => type === "user").map(({ message }) =>
          (message as { content: unknown }).content
        ),
        ["first", "second", "third", "fourth"],
      );
    }),
);

realTest(
  "without a store a session whose host was killed continues only where its files are; a later store gets all of it",
  ["One.", "Two.", "Three."],
  async (cli) => {
    const id = await killedHost(cli, ["first"]);
    const there = await elsewhere(cli, "there");
    await assert.rejects(ask("lost", { ...there, resume: id }));
    const second = await ask("second", { ...cli.options, resume: id });
    assert.equal(second.text, "Two.");
    assert.ok(lastPrompt(cli).includes("One."));
    const store = memoryTranscripts();
    const third = await ask("third", {
      ...cli.options,
      transcripts: { store },
      continue: true,
    });
    assert.equal(third.id, id);
    assert.deepEqual(third.errors, []);
    const place = { cwd: cli.cwd };
    const configDirectory = `${cli.env["HOME"]}/.claude`;
    assert.deepEqual(
      await readTranscript(id, { ...place, store }),
      await readTranscript(id, { ...place, configDirectory }),
    );
  },
);

realTest(
  "subagents go along, to another machine and back into lists",
  [
    {
      tool: "Task",
      input: {
        description: "look",
        prompt: "look at it",
        subagent_type: "general-purpose",
      },
    },
    "Seen.",
    "Done.",
    "Done again.",
    "And more.",
  ],
  async (cli) => {
    const store = memoryTranscripts();
    const transcripts = { store };
    const { id } = await ask("first", { ...cli.options, transcripts });
    const place = { store, cwd: cli.cwd };
    const [subagent] = await listSubagents(id, place);
    assert.ok(subagent);
    const there = await elsewhere(cli, "there");
    await ask("second", { ...there, transcripts, resume: id });
    const local = {
      cwd: cli.cwd,
      configDirectory: `${there.env?.["HOME"]}/.claude`,
    };
    assert.deepEqual(await listSubagents(id, local), [subagent]);
    const told = await readTranscript(id, { ...local, subagent });
    assert.deepEqual(told, await readTranscript(id, { ...place, subagent }));
    assert.ok(JSON.stringify(told).includes("look at it"));
    assert.equal(typeof told[0]?.parentToolUseId, "string");
  },
);

realTest(
  "continue takes the newest session of the store, a fork leaves the old one alone, a title is there for the CLI",
  ["One.", "Two.", "Three.", "Four."],
  async (cli) => {
    const store = memoryTranscripts();
    const transcripts = { store };
    const place = { store, cwd: cli.cwd };
    const first = await ask("first", { ...cli.options, transcripts });
    const there = { ...await elsewhere(cli, "there"), transcripts };
    const second = await ask("second", { ...there, continue: true });
    assert.equal(second.id, first.id);
    const third = await ask("third", {
      ...await elsewhere(cli, "third"),
      transcripts,
      resume: first.id,
      forkSession: true,
    });
    assert.notEqual(third.id, first.id);
    assert.ok(lastPrompt(cli).includes("One."));
    await renameTranscript(third.id, "The third", place);
    const [newest, other, ...more] = await listTranscripts(place);
    assert.deepEqual([newest?.sessionId, newest?.title], [
      third.id,
      "The third",
    ]);
    assert.equal(other?.sessionId, first.id);
    assert.deepEqual(more, []);
    const copy = await forkTranscript(first.id, place);
    const fourth = await ask("fourth", {
      ...await elsewhere(cli, "fourth"),
      transcripts,
      resume: copy,
    });
    assert.equal(fourth.id, copy);
    assert.ok(lastPrompt(cli).includes("Two."));
  },
);

realTest(
  "names of parts that lead elsewhere are reported and not followed",
  ["One.", "Two."],
  async (cli) => {
    const store = memoryTranscripts();
    const transcripts = { store };
    const { id } = await ask("first", { ...cli.options, transcripts });
    const [project = ""] = readdirSync(`${cli.env["HOME"]}/.claude/projects`);
    const key = { projectKey: project, sessionId: id };
    const odd = [
      "../../../../escaped",
      "/escaped",
      "C:\\escaped",
      "..\\escaped",
      "a\0b",
      "subagents/Agent-1",
      "subagents/agent-1",
    ];
    for (const subpath of odd) {
      await store.append({ ...key, subpath }, [{ type: "user" }]);
    }
    const there = await elsewhere(cli, "there");
    const { text, errors } = await ask("second", {
      ...there,
      transcripts,
      resume: id,
    });
    assert.equal(text, "Two.");
    const [error] = errors;
    assert.ok(error instanceof TranscriptError);
    assert.match(error.message, /\.\.\/\.\.\/\.\.\/\.\.\/escaped/);
    assert.match(error.message, /agent-1/);
    const home = there.env?.["HOME"] ?? "";
    const found = readdirSync(home, { recursive: true, encoding: "utf8" });
    assert.deepEqual(found.filter((one) => one.includes("escaped")), []);
    const configDirectory = `${home}/restored`;
    await assert.rejects(
      restoreTranscript(id, { store, cwd: cli.cwd, configDirectory }),
      TranscriptError,
    );
    const file = `${configDirectory}/projects/${project}/${id}.jsonl`;
    assert.ok(readFileSync(file, "utf8").includes("first"));
  },
);

/** Entries of a session's file and of the store; without those that the CLI does not mirror. */
function sessionFile({ env }: RealCli, sessionId: string) {
  const projects = `${env["HOME"]}/.claude/projects`;
  const [projectKey = ""] = readdirSync(projects);
  return { projectKey, path: `${projects}/${projectKey}/${sessionId}.jsonl` };
}

function bothSides(
  cli: RealCli,
  memory: MemoryTranscripts,
  sessionId: string,
) {
  const { projectKey, path } = sessionFile(cli, sessionId);
  const text = readFileSync(path, "utf8");
  const isTold = ({ type }: { type: string }) =>
    !type.startsWith("api-request") && type !== "atis-latch";
  return {
    local: text.trim().split("\n").map((line) => JSON.parse(line)).filter(
      isTold,
    ),
    stored: memory.entries({ projectKey, sessionId }).filter(isTold),
  };
}

realTest(
  "a conversation that is aborted, closed or left in the middle of a turn has in the store what the CLI's file has, once close() resolves",
  [
    { text: "so it begins and", hang: true },
    bash("touch started-close; sleep 30"),
    bash("touch started-leave; sleep 30"),
    bash("touch started-kill; sleep 30"),
    "Again.",
  ],
  async (cli) => {
    const memory = memoryTranscripts();
    const transcripts = { store: memory };
    const permissions = { approve: ["Bash"] };
    const options = { ...cli.options, transcripts, permissions };
    const isRunning = (way: string) => appears(join(cli.cwd, `started-${way}`));
    const same = (conversation: Conversation) => {
      const { local, stored } = bothSides(
        cli,
        memory,
        String(conversation.sessionId),
      );
      assert.ok(stored.some(({ type }) => type === "user"));
      assert.deepEqual(stored, local);
      return stored.length;
    };

    const stop = new AbortController();
    const aborted = query("Go.", {
      ...options,
      signal: stop.signal,
      includePartialMessages: true,
    });
    await assert.rejects(async () => {
      for await (const { type } of aborted) {
        if (type === "stream_event") stop.abort(new Error("enough"));
      }
    }, /enough/);
    await aborted.close();
    same(aborted);

    const closed = query("Go.", options);
    const reading = collect(closed);
    await isRunning("close");
    await closed.close();
    await reading;
    same(closed);

    const left = query("Go.", options);
    for await (const { type } of left) {
      if (type !== "assistant") continue;
      await isRunning("leave");
      break;
    }
    await left.close();
    same(left);

    const killed = query("Go.", options);
    const lost = collect(killed);
    await isRunning("kill");
    // The CLI writes its file in its own time.
    await appears(sessionFile(cli, String(killed.sessionId)).path);
    process.kill(Number(killed.pid), "SIGKILL");
    await lost;
    await killed.close();
    // Entries that were written but not mirrored are there by the next resume.
    const resume = String(killed.sessionId);
    const again = await ask("Go on.", { ...options, resume });
    assert.deepEqual([again.text, again.errors], ["Again.", []]);
    const { local, stored } = bothSides(cli, memory, resume);
    assert.deepEqual(stored, local);
  },
  { timeoutMs: 180_000 },
);
