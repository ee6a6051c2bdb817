import assert from "node:assert/strict";
import { discover } from "../../src/cli/discover.ts";
import type { Host } from "../../src/ports/host.ts";
import { test } from "../_harness.ts";
import { machine } from "./_machine.ts";

const LINUX = {
  platform: "linux",
  arch: "x64",
  cwd: () => "/work space",
  home: () => "/home/me",
} as const;
const MAC = {
  ...LINUX,
  platform: "darwin",
  arch: "arm64",
  home: () => "/Users/me",
} as const;

/** The places that a search looks at, by their source. */
async function places(
  more: Partial<Host>,
  { env, files = {}, ...options }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly cliPath?: string;
    readonly cwd?: string;
  } = {},
) {
  const { attempts } = await discover(await machine(files, env, more), options);
  const of = (source: string) =>
    attempts.filter((one) => one.source === source).map(({ path }) => path);
  return {
    option: of("option"),
    path: of("path"),
    modules: of("node_modules"),
    usual: of("usual-place"),
  };
}

test(
  "Each directory of PATH is looked into once, on Windows for .exe, .cmd and .bat, with quotes and slashes of both kinds",
  async () => {
    const linux = await places(LINUX, {
      env: { PATH: "/usr/bin::/home/me/bin:/usr/bin:tools" },
    });
    assert.deepEqual(linux.path, [
      "/usr/bin/claude",
      "/home/me/bin/claude",
      "/work space/tools/claude",
    ]);
    const windows = await places({}, {
      env: { Path: 'C:/Windows;"C:\\Program Files\\nodejs"' },
    });
    assert.deepEqual(
      windows.path,
      ["C:\\Windows", "C:\\Program Files\\nodejs"].flatMap((folder) =>
        [".exe", ".cmd", ".bat"].map((ending) => `${folder}\\claude${ending}`)
      ),
    );
  },
  { ids: ["D-06", "D-12", "W-02", "W-03"] },
);

test(
  "Each node_modules upwards is searched for the package and the native one of this platform, processor and C library",
  async () => {
    const scope = "/srv/node_modules/@anthropic-ai";
    const files = { "/srv/node_modules": "" };
    const { modules } = await places(LINUX, { files, cwd: "/srv/app" });
    const native = "node_modules/@anthropic-ai/claude-code-linux-x64/claude";
    assert.deepEqual(modules, [
      "/srv/app/node_modules/.bin/claude",
      "/srv/node_modules/.bin/claude",
      `${scope}/claude-code/bin/claude.exe`,
      `/srv/${native}`,
      `/srv/node_modules/.pnpm/${native}`,
      `/srv/node_modules/.deno/${native}`,
      `${scope}/claude-agent-sdk-linux-x64/claude`,
      `${scope}/claude-agent-sdk-linux-x64-musl/claude`,
      "/node_modules/.bin/claude",
      "/work space/node_modules/.bin/claude",
    ]);
    const musl = { ...files, "/lib/ld-musl-aarch64.so.1": "" };
    const arm = { ...LINUX, arch: "arm64" };
    for (
      const [more, there, cwd, program] of [
        [arm, musl, "/srv", `${scope}/claude-code-linux-arm64-musl/claude`],
        [MAC, files, "/srv", `${scope}/claude-code-darwin-arm64/claude`],
        [
          {},
          { "D:\\node_modules": "" },
          "D:\\work",
          "D:\\node_modules\\@anthropic-ai\\claude-code-win32-x64\\claude.exe",
        ],
      ] as const
    ) {
      const { modules } = await places(more, { files: there, cwd });
      assert.ok(modules.includes(program), program);
    }
  },
  { ids: ["W-01"] },
);

test(
  "The places of the installer and of npm come last, on each platform, whatever the case of a variable",
  async () => {
    const env = { npm_config_prefix: "/p/npm" };
    const expected = [
      [MAC, {}, "/usr/local/bin/claude"],
      [MAC, {}, "/opt/homebrew/bin/claude"],
      [MAC, {}, "/Users/me/.npm-global/bin/claude"],
      [LINUX, {}, "/home/me/.local/bin/claude"],
      [LINUX, {}, "/home/me/.claude/local/claude"],
      [LINUX, {}, "/usr/bin/claude"],
      [LINUX, {}, "/opt/claude/bin/claude"],
      [LINUX, {}, "/opt/bin/claude"],
      [LINUX, env, "/p/npm/bin/claude"],
      [LINUX, { NPM_CONFIG_PREFIX: "/P/npm" }, "/P/npm/bin/claude"],
      [{}, { AppData: "C:\\A" }, "C:\\A\\npm\\claude.cmd"],
      [{}, { LOCALAPPDATA: "L:\\" }, "L:\\Programs\\claude\\claude.exe"],
      [{}, { ProgramFiles: "P:\\" }, "P:\\nodejs\\claude.cmd"],
      [{}, {}, "C:\\Users\\me\\.local\\bin\\claude.exe"],
      [{}, { npm_config_prefix: "E:\\npm" }, "E:\\npm\\claude.cmd"],
    ] as const;
    for (const [more, env, path] of expected) {
      const { usual } = await places(more, { env });
      assert.ok(usual.includes(path), `${path}: ${usual}`);
    }
    const { usual } = await places({ ...LINUX, home: () => undefined });
    assert.ok(usual.length > 0 && !usual.join().includes("undefined"));
  },
  { ids: ["D-06", "D-09", "D-10", "D-11", "W-01", "W-02"] },
);

test(
  "A named CLI is a path, or a name in PATH; on Windows one without an ending is tried with each",
  async () => {
    const env = { PATH: "/usr/bin:tools" };
    for (
      const [more, cliPath, paths] of [
        [LINUX, "./c/claude", ["/work space/c/claude"]],
        [LINUX, "my", ["/usr/bin/my", "/work space/tools/my"]],
        [
          {},
          "C:/tools/claude",
          [".exe", ".cmd", ".bat", ""].map((one) => `C:\\tools\\claude${one}`),
        ],
        [{}, "C:\\a b\\claude.cmd", ["C:\\a b\\claude.cmd"]],
      ] as const
    ) {
      assert.deepEqual((await places(more, { env, cliPath })).option, paths);
    }
  },
  { ids: ["D-06", "D-12", "W-03"] },
);
