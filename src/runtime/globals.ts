/** The members of `Deno` in use, so that the package needs no types of Deno. */
export interface DenoGlobal {
  readonly version: { readonly deno: string };
  readonly env: { toObject(): Record<string, string> };
  readonly permissions: {
    querySync(
      descriptor: { readonly name: "run" },
    ): { readonly state: string };
  };
  readonly Command: new (
    command: string,
    options: DenoCommandOptions,
  ) => DenoCommand;
  /** Needs an unlimited `--allow-run`, except for this program itself. */
  kill(pid: number, signal: string): void;
  serve(
    options: DenoServeOptions,
    handler: (request: Request) => Response | Promise<Response>,
  ): DenoServer;
}

/** How `Deno.Command` starts a program. */
export interface DenoCommandOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  readonly stdin: "piped" | "null";
  readonly stdout: "piped" | "null";
  readonly stderr: "piped" | "null";
}

/** A program that can be started, or run to its end. */
export interface DenoCommand {
  spawn(): DenoChild;
  outputSync(): { readonly success: boolean; readonly stdout: Uint8Array };
}

/** A process started by `Deno.Command`. */
export interface DenoChild {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly status: Promise<
    { readonly code: number; readonly signal: string | null }
  >;
  /** Throws a `TypeError` when the process is gone. */
  kill(signal: string): void;
}

/** Where `Deno.serve` listens. */
export interface DenoServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly signal: AbortSignal;
  readonly onListen: () => void;
  readonly onError: (error: unknown) => Response;
}

/** A server started by `Deno.serve`. */
export interface DenoServer {
  readonly addr: { readonly port: number };
  readonly finished: Promise<void>;
}

/** The members of `Bun` in use, so that the package needs no types of Bun. */
export interface BunGlobal {
  readonly version: string;
  spawn(
    command: readonly string[],
    options: BunSpawnOptions,
  ): BunChild;
  spawnSync(
    command: readonly string[],
    options: Pick<BunSpawnOptions, "stdin" | "stdout" | "stderr">,
  ): { readonly success: boolean; readonly stdout: Uint8Array };
  serve(options: BunServeOptions): BunServer;
}

/** How `Bun.spawn` starts a program. */
export interface BunSpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: "pipe" | "ignore";
  readonly stdout: "pipe" | "ignore";
  readonly stderr: "pipe" | "ignore";
  readonly windowsHide: boolean;
}

/** A process started by `Bun.spawn`. */
export interface BunChild {
  readonly pid: number;
  readonly stdin: BunSink;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  kill(signal: string): void;
}

/** Input of a process started by `Bun.spawn`; each method may return a promise. */
export interface BunSink {
  write(chunk: string | Uint8Array): unknown;
  flush(): unknown;
  end(): unknown;
}

/** How `Bun.serve` answers. */
export interface BunServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Seconds without a byte after which a connection is closed; 0 = never. */
  readonly idleTimeout: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly error: (error: unknown) => Response;
}

/** A server started by `Bun.serve`. */
export interface BunServer {
  readonly port: number;
  /** True also closes the connections in use. */
  stop(isForced: boolean): Promise<void>;
}

/** Where a runtime's own object would be. */
export interface RuntimeGlobals {
  readonly Deno?: DenoGlobal;
  readonly Bun?: BunGlobal;
}

// The types of whichever runtime checks this say more than is in use here.
const globals = globalThis as unknown as RuntimeGlobals;

/** Deno's own object, where this is Deno. */
export const deno: DenoGlobal | undefined = globals.Deno;

/** Bun's own object, where this is Bun. */
export const bun: BunGlobal | undefined = globals.Bun;
