import assert from "node:assert/strict";
import {
  chmod,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../../src/ports/host.ts";
import {
  type ChildHandle,
  DIRECT_READ,
  type DirectStream,
} from "../../src/ports/process.ts";
import {
  closesDownTo,
  isGoneWithin,
  isRunning,
  Lines,
  openDescriptors,
  ownChildren,
  program,
  release,
  script,
  textOf,
} from "../_children.ts";
import { test, type TestOptions } from "../_harness.ts";

/** Abilities of a host; the reason for each missing one. */
export interface HostAbilities {
  /** Why shell scripts cannot be started. */
  readonly noShell?: string | undefined;
  /** Why the process table cannot be read. */
  readonly noProcessTable?: string | undefined;
}

/** Too large for any pipe, and larger than one read. */
const LARGE = 5_000_000;

/** Holds a host to what the rest of the package relies on; each runtime runs it on its own adapter. */
export function hostSuite(
  name: string,
  host: Host,
  { noShell, noProcessTable }: HostAbilities,
): void {
  function check(
    title: string,
    run: () => Promise<void>,
    options: TestOptions = {},
  ): void {
    test(`${name} ${title}`, run, { skip: noShell, ...options });
  }
  const inTable = { skip: noShell ?? noProcessTable };

  check("spawn() hands text in and bytes out, whatever they are", async () => {
    const child = await host.spawn(program("cat"));
    const text = "é€😀\u2028\0 line\n".repeat(LARGE / 20);
    const reading = textOf(child.stdout);
    await child.stdin.write(text);
    await child.stdin.end();
    assert.equal(await reading === text, true);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    await release(child);
  });

  check(
    "spawn() delivers unread output after the exit",
    async () => {
      for (const way of ["directly", "as a stream"]) {
        // The pipe takes all of it, and it is more than one read.
        const child = await host.spawn(
          script("seq 1 200; sleep 0.1; seq 201 6000"),
        );
        const stdout: DirectStream = child.stdout;
        const reader = stdout.getReader();
        const read = way === "directly" ? stdout[DIRECT_READ] : undefined;
        const next = read ?? (() => reader.read());
        const chunks = [(await next()).value ?? new Uint8Array()];
        await child.exited;
        // Some runtimes set a forgotten stream going then, a turn or two later.
        await sleep(20);
        for (;;) {
          const { done, value } = await next();
          if (done) break;
          chunks.push(value);
        }
        const text = await new Blob(chunks as BlobPart[]).text();
        const lines = Array.from({ length: 6_000 }, (_, n) => `${n + 1}\n`);
        assert.equal(text === lines.join(""), true, way);
        await release(child);
      }
    },
  );

  check("spawn() hands arguments over as they are", async () => {
    const args = [
      "",
      "two words",
      `"quoted" and 'single'`,
      "line\nbreak\ttab",
      "$HOME `id` $(id) ; | & > <",
      "back\\slash\\",
      "*?[a]{b,c}",
      "--flag=a b",
      "üñí 😀",
      ...Array.from({ length: 200 }, randomText),
    ];
    const child = await host.spawn(script(`printf '%s\\0' "$@"`, ...args));
    const printed = await textOf(child.stdout);
    assert.deepEqual(printed.split("\0").slice(0, -1), args);
    await release(child);
  }, { ids: ["E-15"] });

  check(
    "spawn() gives the child the environment it was given and no more",
    async () => {
      const env = { GREETING: "a b=c\nd", EMPTY: "", PATH: "/usr/bin:/bin" };
      const child = await host.spawn({ ...program("env", "-0"), env });
      const lines = (await textOf(child.stdout)).split("\0").slice(0, -1);
      assert.deepEqual(
        lines.toSorted(),
        Object.entries(env).map(([key, value]) => `${key}=${value}`).toSorted(),
      );
      await release(child);
    },
    { ids: ["MI-16"] },
  );

  check("spawn() starts in the working directory", async () => {
    await withDirectory(async (folder) => {
      const child = await host.spawn({ ...script("pwd"), cwd: folder });
      const printed = await textOf(child.stdout);
      assert.equal(printed.trim(), await host.files.realPath(folder));
      await release(child);
    });
  });

  check("spawn() looks a bare name up in the PATH of the child", async () => {
    await withDirectory(async (folder) => {
      await writeProgram(join(folder, "only-here"), "echo found");
      const env = { PATH: `${folder}:/usr/bin:/bin` };
      const child = await host.spawn({ ...program("only-here"), env });
      assert.equal(await textOf(child.stdout), "found\n");
      await release(child);
    });
  });

  check("spawn() rejects when there is no such program", async () => {
    for (const command of ["/does/not/exist", "no-such-program-here"]) {
      await assert.rejects(
        host.spawn(program(command)),
        (error) => host.failureOf(error) === "missing",
      );
    }
  });

  check("spawn() rejects when the program may not be executed", async () => {
    await withDirectory(async (folder) => {
      const path = join(folder, "plain");
      await writeFile(path, "#!/bin/sh\n");
      for (const command of [path, folder]) {
        await assert.rejects(
          host.spawn(program(command)),
          (error) => host.failureOf(error) === "permission",
        );
      }
    });
  }, { ids: ["W-05"] });

  check("spawn() rejects when the working directory is missing", async () => {
    await assert.rejects(
      host.spawn({ ...program("cat"), cwd: "/does/not/exist" }),
    );
  });

  check("spawn() leaves no pipe open when it rejects", async () => {
    const attempt = () =>
      assert.rejects(host.spawn(program("/does/not/exist")));
    await attempt();
    const before = openDescriptors();
    for (let i = 0; i < 20; i++) await attempt();
    assert.ok(await closesDownTo(before));
  }, { ...inTable, ids: ["P-03"] });

  check("exited tells code and signal apart", async () => {
    const ends = [
      ["exit 0", { code: 0, signal: null }],
      ["exit 7", { code: 7, signal: null }],
      ["exit 143", { code: 143, signal: null }],
      ["kill -TERM $$", { code: null, signal: "SIGTERM" }],
      ["kill -KILL $$", { code: null, signal: "SIGKILL" }],
    ] as const;
    for (const [text, status] of ends) {
      const child = await host.spawn(script(text));
      assert.deepEqual(await child.exited, status);
      await release(child);
    }
  });

  check(
    "exited does not wait for a grandchild that holds the pipes",
    async () => {
      const child = await host.spawn(script("sleep 60 & echo $!; exit 3"));
      const lines = new Lines(child.stdout);
      const grandchild = Number(await lines.next());
      assert.deepEqual(await child.exited, { code: 3, signal: null });
      assert.equal(isRunning(grandchild), true);
      assert.equal(host.killPid(grandchild, "SIGKILL"), true);
      await lines.cancel();
      await release(child);
    },
    inTable,
  );

  check(
    "kill() leaves the exit code to a child that handles the signal",
    async () => {
      const child = await host.spawn(
        script("trap 'exit 5' TERM; echo up; while :; do sleep 0.02; done"),
      );
      const lines = new Lines(child.stdout);
      assert.equal(await lines.next(), "up");
      assert.equal(child.kill("SIGTERM"), true);
      assert.deepEqual(await child.exited, { code: 5, signal: null });
      await lines.cancel();
      await release(child);
    },
    { ids: ["W-07"] },
  );

  check("kill() sends a second signal when the first was ignored", async () => {
    const child = await host.spawn(
      script("trap 'echo TERM' TERM; echo up; while :; do sleep 0.02; done"),
    );
    const lines = new Lines(child.stdout);
    assert.equal(await lines.next(), "up");
    assert.equal(child.kill("SIGTERM"), true);
    assert.equal(await lines.next(), "TERM");
    assert.equal(child.kill("SIGTERM"), true);
    assert.equal(await lines.next(), "TERM");
    assert.equal(child.kill("SIGKILL"), true);
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    await lines.cancel();
    await release(child);
  }, { ids: ["P-15"] });

  check("kill() is false when the child is gone", async () => {
    const child = await host.spawn(script("exit 0"));
    await child.exited;
    assert.equal(child.kill("SIGTERM"), false);
    assert.equal(child.kill("SIGKILL"), false);
    await release(child);
  });

  check("stdout gives every byte of a child that is already gone", async () => {
    const child = await host.spawn(
      script("head -c 60000 /dev/zero; echo late >&2"),
    );
    await child.exited;
    const bytes = await new Response(child.stdout).arrayBuffer();
    assert.equal(bytes.byteLength, 60_000);
    assert.equal(await textOf(child.stderr), "late\n");
    await release(child);
  });

  check("stdout holds the child back while it is not read", async () => {
    const child = await host.spawn(
      script("head -c $1 /dev/zero; echo done >&2", `${LARGE}`),
    );
    const lines = new Lines(child.stderr);
    const done = lines.next();
    assert.equal(await Promise.race([done, sleep(150, "blocked")]), "blocked");
    const bytes = await new Response(child.stdout).arrayBuffer();
    assert.equal(bytes.byteLength, LARGE);
    assert.equal(await done, "done");
    await lines.cancel();
    await release(child);
  });

  check("stdout can be cancelled while a grandchild holds it", async () => {
    const child = await host.spawn(script("sleep 60 & echo $!; exit 0"));
    const lines = new Lines(child.stdout);
    const grandchild = Number(await lines.next());
    await child.exited;
    const pending = lines.next();
    await lines.cancel();
    assert.equal(await pending, undefined);
    await release(child);
    host.killPid(grandchild, "SIGKILL");
  });

  check("stdout and stderr are read independently", async () => {
    for (const [first, second] of [[1, 2], [2, 1]]) {
      const child = await host.spawn(
        script(`head -c ${LARGE} /dev/zero >&${first}; echo end >&${second}`),
      );
      const [flood, quiet] = first === 1
        ? [child.stdout, child.stderr]
        : [child.stderr, child.stdout];
      const reading = new Response(flood).arrayBuffer();
      assert.equal(await textOf(quiet), "end\n");
      assert.equal((await reading).byteLength, LARGE);
      await child.exited;
      await release(child);
    }
    const child = await host.spawn(
      script(`head -c ${LARGE} /dev/zero & head -c ${LARGE} /dev/zero >&2`),
    );
    const floods = await Promise.all([
      new Response(child.stdout).arrayBuffer(),
      new Response(child.stderr).arrayBuffer(),
    ]);
    assert.deepEqual(floods.map((one) => one.byteLength), [LARGE, LARGE]);
    await release(child);
  }, { ids: ["IO-13"] });

  check("stdin makes writers wait for a child that does not read", async () => {
    for (const size of [1_000, 65_536]) {
      const child = await host.spawn(program("sleep", "60"));
      const text = "x".repeat(size);
      let accepted = 0;
      let stuck: Promise<unknown> | undefined;
      while (stuck === undefined && accepted < 2_000_000) {
        let isOver = false;
        const writing = child.stdin.write(text).then(() => true, () => false);
        writing.finally(() => isOver = true);
        // In steps: a program that gets no time between two of them learns of its write before the last.
        const limit = new AbortController();
        for (let step = 0; !isOver && step < 10; step++) {
          const late = sleep(20, undefined, limit).catch(() => {});
          await Promise.race([writing, late]);
        }
        limit.abort();
        if (isOver) accepted += size;
        else stuck = writing;
      }
      assert.ok(accepted < 600_000, `accepted bytes: ${accepted}`);
      const ended = child.stdin.end();
      await release(child);
      assert.equal(await stuck, false);
      await ended;
    }
  });

  check("stdin rejects when a living child closed it", async () => {
    for (const size of [10, 70_000, LARGE]) {
      const child = await host.spawn(
        script("exec 0<&-; echo closed; exec sleep 60"),
      );
      const lines = new Lines(child.stdout);
      assert.equal(await lines.next(), "closed");
      const writing = child.stdin.write("x".repeat(size));
      await assert.rejects(writing, { code: "EPIPE" });
      await assert.rejects(child.stdin.write("again"));
      await child.stdin.end();
      await lines.cancel();
      await release(child);
    }
  });

  check("stdin rejects when the child is gone, and ends quietly", async () => {
    for (const size of [1, LARGE]) {
      const child = await host.spawn(script("exit 0"));
      await child.exited;
      await assert.rejects(child.stdin.write("x".repeat(size)));
      await child.stdin.end();
      await child.stdin.end();
      await release(child);
    }
  });

  check("stdin end reaches the child as end of file", async () => {
    const child = await host.spawn(script("cat; echo end"));
    await child.stdin.write("text\n");
    await child.stdin.end();
    assert.equal(await textOf(child.stdout), "text\nend\n");
    await child.exited;
    await release(child);
  }, { ids: ["P-12"] });

  check("30 children leave neither zombies nor open pipes", async () => {
    await runOnce(host);
    const children = ownChildren().length;
    const descriptors = openDescriptors();
    for (let i = 0; i < 3; i++) {
      await Promise.all(Array.from({ length: 10 }, () => runOnce(host)));
    }
    assert.equal(ownChildren().length, children);
    assert.ok(await closesDownTo(descriptors));
  }, { ...inTable, ids: ["P-02", "P-16"] });

  check(
    "processes() tells whose child a process is and since when it runs, and killPid() ends it",
    async () => {
      const child = await host.spawn(
        script("setsid sh -c 'echo $$; sleep 60 & echo $!; wait' & wait"),
      );
      const lines = new Lines(child.stdout);
      const shell = Number(await lines.next());
      const sleeper = Number(await lines.next());
      const entries = host.processes();
      const entryOf = (pid: number) => entries.find((one) => one.pid === pid);
      assert.equal(entryOf(child.pid)?.parent, host.pid);
      assert.equal(entryOf(sleeper)?.parent, shell);
      assert.deepEqual(host.processes([sleeper]), [entryOf(sleeper)]);
      assert.ok(host.processIds().includes(sleeper));
      assert.equal(host.isRunning(sleeper), true);
      assert.equal(host.beginningOf(sleeper), entryOf(sleeper)?.began);
      for (const pid of [shell, sleeper]) host.killPid(pid, "SIGKILL");
      assert.ok(await isGoneWithin(10_000, sleeper));
      assert.equal(host.isRunning(sleeper), false);
      await child.exited;
      await lines.cancel();
      await release(child);
      assert.equal(host.killPid(child.pid, "SIGTERM"), false);
      assert.equal(host.isRunning(child.pid), false);
      assert.deepEqual(host.processes([child.pid, sleeper]), []);
      assert.equal(host.beginningOf(child.pid), undefined);
    },
    inTable,
  );

  check("environmentOf() tells what a process began with", async () => {
    const env = { MARK: "a b.1." };
    const child = await host.spawn({ ...program("/bin/cat"), env });
    // One that is just becoming this program has none for a moment.
    const lines = new Lines(child.stdout);
    await child.stdin.write("here\n");
    assert.equal(await lines.next(), "here");
    assert.match(host.environmentOf(child.pid) ?? "", /MARK=a b\.1\./);
    await lines.cancel();
    await release(child);
    assert.equal(host.environmentOf(child.pid) ?? "", "");
  }, inTable);

  check(
    "spawn() gives a child a process group of its own when asked",
    async () => {
      for (const isDetached of [false, true]) {
        const child = await host.spawn({
          ...script(
            "ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat",
          ),
          isDetached,
        });
        const group = Number(await textOf(child.stdout));
        assert.equal(group === child.pid, isDetached);
        await release(child);
      }
    },
    inTable,
  );

  check(
    "startHelper() runs a program in a session of its own until its input ends, without waiting for it",
    async () => {
      await withDirectory(async (folder) => {
        const file = join(folder, "said");
        const text =
          `cut -d' ' -f6 /proc/$$/stat > ${file}; env >> ${file}; cat >> ${file}; exec sleep 60`;
        const helper = host.startHelper({
          ...script(text),
          env: { ONLY: "1" },
        });
        helper.write("one\n");
        helper.write("two\n");
        const said = () => readFile(file, "utf8").catch(() => "");
        while (!(await said()).endsWith("two\n")) await sleep(5);
        const lines = (await said()).split("\n");
        assert.equal(Number(lines[0]), helper.pid);
        assert.ok(lines.includes("ONLY=1"));
        assert.ok(!lines.some((line) => line.startsWith("HOME=")));
        helper.kill();
        await helper.exited;
        assert.equal(isRunning(helper.pid), false);
        helper.write("to nobody\n");
        helper.kill();
      });
    },
    inTable,
  );

  check(
    "signal listeners are counted without those of this package",
    async () => {
      const before = host.otherSignalListeners("SIGTERM");
      let stop = () => {};
      const heard = new Promise<void>((resolve) => {
        stop = host.onSignal("SIGTERM", resolve);
      });
      assert.equal(host.otherSignalListeners("SIGTERM"), before);
      const other = () => {};
      process.on("SIGTERM", other);
      assert.equal(host.otherSignalListeners("SIGTERM"), before + 1);
      host.raise("SIGTERM");
      await heard;
      process.removeListener("SIGTERM", other);
      stop();
      assert.equal(process.listenerCount("SIGTERM"), before);
    },
  );

  check(
    "a listener for one time counts while its signal is delivered",
    async () => {
      const order: string[] = [];
      process.once("SIGTERM", () => order.push("once"));
      let stop = () => {};
      const counted = new Promise<number>((resolve) => {
        stop = host.onSignal("SIGTERM", () => {
          resolve(host.otherSignalListeners("SIGTERM"));
        });
      });
      await new Promise<void>((resolve) => host.nextTurn(resolve));
      host.raise("SIGTERM");
      assert.equal(await counted, 1);
      stop();
      assert.deepEqual(order, ["once"]);
      assert.equal(host.otherSignalListeners("SIGTERM"), 0);
    },
  );

  check("tells about itself and its surroundings", async () => {
    assert.equal(host.name, name);
    assert.match(host.version, /^\d+\.\d+\.\d+/);
    assert.equal(host.platform, process.platform);
    assert.equal(host.arch, process.arch);
    assert.equal(await host.files.isExecutable(host.execPath), true);
    assert.equal(host.pid, process.pid);
    assert.equal(host.machine(), hostname());
    assert.equal(host.cwd(), process.cwd());
    assert.equal(host.home(), process.env.HOME);
    const env = host.env();
    assert.equal(env.PATH, process.env.PATH);
    env.PATH = "changed";
    assert.notEqual(process.env.PATH, "changed");
    assert.equal(host.isAscii(new TextEncoder().encode("plain\n")), true);
    assert.equal(host.isAscii(new TextEncoder().encode("é")), false);
  });

  check("nextTurn() calls back after what waits already", async () => {
    const order: string[] = [];
    const called = new Promise<void>((resolve) => {
      host.nextTurn(() => {
        order.push("turn");
        resolve();
      });
    });
    await Promise.resolve().then(() => order.push("microtask"));
    await called;
    assert.deepEqual(order, ["microtask", "turn"]);
  });

  check("files tell what is there", async () => {
    await withDirectory(async (folder) => {
      const { files } = host;
      const path = join(folder, "file");
      await writeFile(path, "12345");
      await symlink("file", join(folder, "link"));
      await symlink("nowhere", join(folder, "broken"));
      await symlink("loop", join(folder, "loop"));
      const found = await files.status(path);
      assert.equal(found?.kind, "file");
      assert.equal(found.size, 5);
      assert.ok(Math.abs(found.modifiedMs - Date.now()) < 60_000);
      assert.equal((await files.status(folder))?.kind, "directory");
      assert.equal((await files.status("/dev/null"))?.kind, "other");
      assert.equal((await files.status(join(folder, "link")))?.size, 5);
      for (const gone of ["nothing", "broken", "file/below"]) {
        assert.equal(await files.status(join(folder, gone)), undefined);
      }
      const looping = files.status(join(folder, "loop"));
      await assert.rejects(looping, { code: "ELOOP" });
      assert.equal(await files.linkTarget(join(folder, "link")), "file");
      assert.equal(await files.linkTarget(join(folder, "broken")), "nowhere");
      assert.equal(await files.linkTarget(path), undefined);
      assert.equal(await files.linkTarget(join(folder, "nothing")), undefined);
      assert.equal(
        await files.realPath(join(folder, "link")),
        await files.realPath(path),
      );
      const broken = files.realPath(join(folder, "broken"));
      await assert.rejects(broken, { code: "ENOENT" });
      assert.deepEqual(
        (await files.list(folder)).toSorted(),
        ["broken", "file", "link", "loop"],
      );
      await assert.rejects(files.list(path), { code: "ENOTDIR" });
    });
  }, { ids: ["W-06"] });

  check("files say what may be executed", async () => {
    await withDirectory(async (folder) => {
      const { files } = host;
      const path = join(folder, "program");
      await writeFile(path, "#!/bin/sh\n");
      assert.equal(await files.isExecutable(path), false);
      await chmod(path, 0o755);
      assert.equal(await files.isExecutable(path), true);
      assert.equal(await files.isExecutable(folder), false);
      assert.equal(await files.isExecutable(join(folder, "no")), false);
    });
  }, { ids: ["W-05"] });

  check("files are added to at their end, and read from anywhere", async () => {
    await withDirectory(async (folder) => {
      const { files } = host;
      const path = join(folder, "file");
      const bytes = (text: string) => new TextEncoder().encode(text);
      await assert.rejects(files.open(path, "append"), { code: "ENOENT" });
      await assert.rejects(files.open(path, "read"), { code: "ENOENT" });
      const fresh = await files.open(path, "new");
      await assert.rejects(files.open(path, "new"), { code: "EEXIST" });
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal(await fresh.write(bytes("one")), 3);
      const grown = join(folder, "grown");
      await (await files.open(grown, "grow")).close();
      assert.equal((await stat(grown)).mode & 0o777, 0o600);
      await (await files.open(grown, "grow")).close();
      const other = await files.open(path, "append");
      const buffer = new Uint8Array(2);
      assert.equal(await other.read(buffer, 1), 2);
      assert.deepEqual(buffer, bytes("ne"));
      assert.equal(await other.read(buffer, 3), 0);
      await other.read(buffer, 0);
      await other.write(bytes(" two"));
      await fresh.write(bytes(" three"));
      await fresh.syncData();
      await Promise.all([fresh.close(), other.close()]);
      assert.equal(await files.readText(path), "one two three");
      const reader = await files.open(path, "read");
      await assert.rejects(reader.write(bytes("no")));
      await reader.close();
      await files.syncDirectory(folder);
    });
  });

  check("files get second names, never one that is taken", async () => {
    await withDirectory(async (folder) => {
      const { files } = host;
      const [path, name] = [join(folder, "file"), join(folder, "name")];
      await writeFile(path, "text");
      await files.link(path, name);
      await assert.rejects(files.link(path, name), { code: "EEXIST" });
      await files.remove(path);
      assert.equal(await files.readText(name), "text");
    });
  });

  check(
    "directories are made with the permissions that are asked for",
    async () => {
      await withDirectory(async (folder) => {
        const deep = join(folder, "a", "b");
        await host.files.makeDirectory(deep, 0o700);
        await host.files.makeDirectory(deep, 0o700);
        for (const path of [join(folder, "a"), deep]) {
          assert.equal((await stat(path)).mode & 0o777, 0o700);
        }
      });
    },
  );

  check("files are written, added to, moved and removed", async () => {
    const { files } = host;
    const folder = await files.makeTemporaryDirectory("host-suite-");
    try {
      const deep = join(folder, "a", "b");
      await files.makeDirectory(deep);
      await files.makeDirectory(deep);
      const path = join(deep, "text");
      await files.appendText(path, "é\n");
      await files.appendText(path, "two\n");
      assert.equal(await files.readText(path), "é\ntwo\n");
      await files.writeText(path, "new");
      const other = join(folder, "other");
      await files.writeText(other, "old");
      await files.rename(path, other);
      assert.equal(await files.readText(other), "new");
      await assert.rejects(files.readText(path), { code: "ENOENT" });
      await files.remove(path);
      const last = join(folder, "last");
      await files.makeDirectory(join(last, "a"));
      files.removeNow(last);
      files.removeNow(last);
      assert.equal(await files.status(last), undefined);
    } finally {
      await files.remove(folder);
    }
    assert.equal(await files.status(folder), undefined);
  });
}

/** Anything but NUL, which no argument can hold. */
function randomText(): string {
  const words = crypto.getRandomValues(new Uint16Array(20));
  return Array.from(words, (word) => String.fromCharCode(1 + word % 0xd000))
    .join("");
}

async function runOnce(host: Host): Promise<void> {
  const child: ChildHandle = await host.spawn(script("echo out; echo err >&2"));
  await Promise.all([
    child.stdin.end(),
    textOf(child.stdout),
    textOf(child.stderr),
    child.exited,
  ]);
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

async function withDirectory(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "host-suite-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
