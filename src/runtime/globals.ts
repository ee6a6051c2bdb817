/** The members of `Deno` in use, so that the package needs no types of Deno. */
export interface DenoGlobal {
  readonly version: { readonly deno: string };
  readonly build: { readonly os: string; readonly arch: string };
  readonly pid: number;
  readonly env: {
    get(name: string): string | undefined;
    toObject(): Record<string, string>;
  };
  readonly permissions: {
    querySync(
      descriptor:
        | { readonly name: "run"; readonly command?: string }
        | { readonly name: "read"; readonly path: string }
        | { readonly name: "sys"; readonly kind: "hostname" | "uid" }
        | { readonly name: "run" | "env" | "read" | "write" | "net" },
    ): { readonly state: string; readonly partial?: boolean };
  };
  readonly Command: new (command: string, options: DenoCommandOptions) => {
    spawn(): DenoChild;
    outputSync(): { readonly stdout: Uint8Array };
  };
  /** A path that begins with NUL is the name of a socket without a file. */
  listen(
    options: { readonly transport: "unix"; readonly path: string },
  ): { close(): void };
  execPath(): string;
  cwd(): string;
  /** Needs an unlimited `--allow-run`, except for this program itself. */
  kill(pid: number, signal: string): void;
  addSignalListener(signal: string, listener: () => void): void;
  removeSignalListener(signal: string, listener: () => void): void;
  stat(path: string): Promise<DenoFileInfo>;
  readLink(path: string): Promise<string>;
  realPath(path: string): Promise<string>;
  readDir(path: string): AsyncIterable<{ readonly name: string }>;
  readDirSync(path: string): Iterable<{ readonly name: string }>;
  readTextFile(path: string): Promise<string>;
  readTextFileSync(path: string): string;
  writeTextFile(
    path: string,
    text: string,
    options?: { readonly append: boolean },
  ): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string, options: { readonly recursive: true }): Promise<void>;
  removeSync(path: string, options: { readonly recursive: true }): void;
  mkdir(
    path: string,
    options: { readonly recursive: true; readonly mode?: number },
  ): Promise<void>;
  open(path: string, options: DenoOpenOptions): Promise<DenoFile>;
  /** Deno's `process.stdout` blocks the whole program while the pipe is full; this does not. */
  readonly stdout: DenoOutput;
  link(path: string, name: string): Promise<void>;
  /** Needs `--allow-sys=hostname`. */
  hostname(): string;
  /** Needs `--allow-sys=uid`; `null` on Windows. */
  uid(): number | null;
  makeTempDir(options: { readonly prefix: string }): Promise<string>;
}

export interface DenoOpenOptions {
  readonly read: true;
  readonly append?: boolean;
  readonly create?: boolean;
  readonly createNew?: boolean;
  readonly mode?: number;
}

export interface DenoFile {
  /** Gives null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  seek(offset: number, whence: number): Promise<number>;
  stat(): Promise<DenoFileInfo>;
  sync(): Promise<void>;
  syncData(): Promise<void>;
  close(): void;
}

/** Output of Deno; a write may be partial. */
export interface DenoOutput {
  write(bytes: Uint8Array): Promise<number>;
}

export interface DenoFileInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  /** Absent where the system does not tell. */
  readonly mtime: Date | null;
  /** Says nothing on Windows. */
  readonly mode: number | null;
  /** Id of its owner; `null` on Windows. */
  readonly uid: number | null;
  /** Number of its names (hard links); `null` if the system does not report it. */
  readonly nlink: number | null;
}

export interface DenoCommandOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  readonly stdin: "piped" | "null";
  readonly stdout: "piped" | "null";
  readonly stderr: "piped" | "null";
  /** Whether the arguments are not quoted, on Windows; absent means they are. */
  readonly windowsRawArguments?: boolean;
  /** Whether it gets a session of its own, and lives on when an error ends this program. */
  readonly detached?: boolean;
}

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
  /** This program may end before it. */
  unref(): void;
  /** This program waits for it again. */
  ref(): void;
}

/** The members of `Bun` in use, so that the package needs no types of Bun. */
export interface BunGlobal {
  readonly version: string;
  spawn(command: readonly string[], options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly stdin: "pipe";
    readonly stdout: "pipe" | "ignore";
    readonly stderr: "pipe" | "ignore";
    readonly windowsHide: boolean;
    /** Whether the arguments are not quoted; absent means they are. */
    readonly windowsVerbatimArguments?: boolean;
    readonly detached: boolean;
  }): BunChild;
}

export interface BunChild {
  readonly pid: number;
  /** Each method may return a promise. */
  readonly stdin: {
    write(text: string): unknown;
    flush(): unknown;
    end(): unknown;
  };
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  kill(signal: string): void;
  unref(): void;
  /** This program waits for it again. */
  ref(): void;
}
