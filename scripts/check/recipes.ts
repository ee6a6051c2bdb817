// Makes what docs/bundling.md shows from npm/, and runs it where no package lies.
import { build as bundle, type BuildOptions, stop } from "esbuild";
import { build as buildWithVite } from "vite";
import { fakeCli } from "../../src/testing/fake_cli.ts";
import { BUN, DENO, mustRun, ROOT_PATH, run, say } from "../project.ts";

/** Everything that is loaded late is used: a tool of the host, a hook, strict validation. */
const AGENT = `
import { query } from "@sluice/agent";
import { createMcpServer, tool } from "@sluice/agent/mcp";

const now = tool({
  name: "now",
  description: "Tells the time",
  input: { type: "object", properties: {} },
  run: () => "noon",
});
const answer = await query("What time is it?", {
  validation: "strict",
  hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
  mcpServers: { clock: createMcpServer({ name: "clock", tools: [now] }) },
}).text();
console.log(answer);
`;
const ANSWER = "It is noon.";

const made = await Deno.realPath(
  await Deno.makeTempDir({ prefix: "sluice-recipes-" }),
);
/** No package is found from here. */
const away = await Deno.makeTempDir({ prefix: "sluice-away-" });
const fake = fakeCli([[{ tool: "mcp__clock__now" }, ANSWER]]);
try {
  await Deno.mkdir(`${made}/node_modules/@sluice`, { recursive: true });
  await Deno.symlink(`${ROOT_PATH}npm`, `${made}/node_modules/@sluice/agent`);
  await Deno.writeTextFile(`${made}/package.json`, '{"type":"module"}');
  await Deno.writeTextFile(`${made}/agent.ts`, AGENT);
  await bunBinary();
  await denoBinary();
  await withEsbuild();
  await withVite();
} finally {
  await stop();
  await fake.close();
  await Deno.remove(made, { recursive: true });
  await Deno.remove(away, { recursive: true });
}

async function bunBinary(): Promise<void> {
  const args = ["build", "--compile", "agent.ts", "--outfile", `${away}/bun`];
  await mustRun(BUN, args, { cwd: made });
  await answers(`${away}/bun`);
  say("bun build --compile: one binary, and it runs");
}

/** Deno fetches the runtime that goes into the binary, once. */
async function denoBinary(): Promise<void> {
  const { code, stderr } = await run(DENO, [
    ...["compile", "--allow-run", "--allow-env", "--allow-read", "--no-check"],
    ...["--node-modules-dir=manual", "--output", `${away}/deno`, "agent.ts"],
  ], { cwd: made });
  if (code !== 0 && /dns error|error sending request/.test(stderr)) {
    say("deno compile: left out, its runtime cannot be fetched here");
    return;
  }
  if (code !== 0) throw new Error(`deno compile: ${stderr}`);
  await answers(`${away}/deno`);
  say("deno compile: one binary, and it runs");
}

async function withEsbuild(): Promise<void> {
  const common: BuildOptions = {
    absWorkingDir: made,
    entryPoints: ["agent.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  };
  const results = [
    await bundle({ ...common, outfile: `${away}/one.mjs` }),
    await bundle({ ...common, outdir: `${away}/split`, splitting: true }),
  ];
  const warnings = results.flatMap((one) => one.warnings);
  if (warnings.length > 0) {
    throw new Error(`esbuild warns: ${JSON.stringify(warnings[0])}`);
  }
  await Deno.writeTextFile(`${away}/package.json`, '{"type":"module"}');
  await answers("node", `${away}/one.mjs`);
  await answers(BUN, `${away}/one.mjs`);
  await answers("node", `${away}/split/agent.js`);
  say("esbuild: one file, and split; no warning, and both run");
}

async function withVite(): Promise<void> {
  const warnings: string[] = [];
  await buildWithVite({
    root: made,
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: "agent.ts",
      outDir: `${away}/vite`,
      emptyOutDir: true,
      rollupOptions: {
        // A part that is loaded late must not wait for an entry that awaits it at its top.
        output: {
          manualChunks: (id) =>
            id.endsWith("/agent.ts") ? undefined : "packages",
        },
        onwarn({ message, plugin }) {
          // It tells as well that a part stays with what imports it anyway.
          if (plugin !== "vite:reporter") warnings.push(message);
        },
      },
    },
    ssr: { noExternal: true },
  });
  if (warnings.length > 0) throw new Error(`Vite warns: ${warnings[0]}`);
  await answers("node", `${away}/vite/agent.js`);
  say("Vite: an SSR bundle without externals runs");
}

/** Runs a program away from every package; its CLI is the stand-in. */
async function answers(
  command: string,
  ...args: readonly string[]
): Promise<void> {
  const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
  const cli = `${away}/claude`;
  await Deno.writeTextFile(cli, `#!/bin/sh\nexec ${words} "$@"\n`, {
    mode: 0o755,
  });
  const env = { CLAUDE_CLI_PATH: cli };
  const said = await mustRun(command, args, { cwd: away, env });
  if (said.trim() !== ANSWER) {
    throw new Error(`${command} ${args.join(" ")} said ${said}`);
  }
}
