import { isRunLimited, mayRun } from "./deno_child.ts";
import type { DenoGlobal } from "./globals.ts";
import { ProcessTable } from "./process_table.ts";

const decoder = new TextDecoder();

/** The processes of this machine through Deno. Nothing here asks the user for a permission: nobody expects such a question while something ends. */
export function denoProcesses(
  runtime: DenoGlobal,
  platform: string,
): ProcessTable {
  const mayRead = (path: string) => {
    const asked = runtime.permissions.querySync({ name: "read", path });
    if (asked.state !== "granted") throw new Error("May not be read");
  };
  return new ProcessTable({
    platform,
    get systemRoot() {
      return platform === "win32" ? runtime.env.get("SystemRoot") : undefined;
    },
    list(path) {
      mayRead(path);
      return Array.from(runtime.readDirSync(path), ({ name }) => name);
    },
    read(path) {
      mayRead(path);
      return runtime.readTextFileSync(path);
    },
    run(command, args, env) {
      if (!mayRun(runtime, command)) throw new Error("May not be started");
      const { stdout } = new runtime.Command(command, {
        args,
        env,
        clearEnv: true,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).outputSync();
      return decoder.decode(stdout);
    },
    probe(pid) {
      if (isRunLimited(runtime)) throw new Error("May not be asked");
      // Deno's own cannot ask without sending one.
      const { process } = globalThis as unknown as {
        readonly process: { kill(pid: number, signal: 0): void };
      };
      process.kill(pid, 0);
    },
  });
}
