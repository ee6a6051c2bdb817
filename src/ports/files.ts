export interface FileStatus {
  /** Kind of the thing, links followed. */
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  /** Last change, milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Whether every user of the machine may write it, or change what others put into it; false where the system does not tell. */
  readonly isOpenToAll: boolean;
  /** Whether every user of the machine may put something new into it; absent = no, or no directory. */
  readonly mayAllAdd?: boolean;
  /** Whether a user owns it who is neither that of this program nor root; absent = no, or the system does not tell. */
  readonly isForeign?: boolean;
}

/** Mode of opening a file: `read`, `append` to an existing one, `grow` = append and create if missing, `new` = create, fails with `EEXIST`. */
export type OpenMode = "read" | "append" | "grow" | "new";

export interface OpenFile {
  /** Fills a buffer from a place in the file; how many bytes came, 0 at the end. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Writes at the end, in one call of the system; how many bytes it took. */
  write(bytes: Uint8Array): Promise<number>;
  /** Whether its last name is gone: what is written is lost when it is closed. */
  isRemoved(): Promise<boolean>;
  /** Resolves when what was written is on the disk. */
  syncData(): Promise<void>;
  close(): Promise<void>;
}

/** The few file operations that discovery and stores need. All reject with an error that has a `code` such as `ENOENT`. */
export interface Files {
  /** Status of a path, links followed; `undefined` when nothing is there. */
  status(path: string): Promise<FileStatus | undefined>;
  /** Target of a symbolic link, as written; `undefined` when it is no link. */
  linkTarget(path: string): Promise<string | undefined>;
  /** The path with every link resolved. */
  realPath(path: string): Promise<string>;
  /** Whether this user may execute the file. */
  isExecutable(path: string): Promise<boolean>;
  /** Names in a directory. */
  list(path: string): Promise<readonly string[]>;
  readText(path: string): Promise<string>;
  /** Writes a text, replacing what was there. */
  writeText(path: string, text: string): Promise<void>;
  /** Adds to the end of a file, made when missing. */
  appendText(path: string, text: string): Promise<void>;
  /** Moves a file in one step, replacing what was there. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a directory with all in it; nothing there is no error. */
  remove(path: string): Promise<void>;
  /** As {@link remove}, at once and without a promise, for the last moment of this program. */
  removeNow(path: string): void;
  /** Makes a directory and its parents, each with these permissions; there already is no error. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Opens a file; a new one can be read and written by this user alone. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** Gives a file a second name, in one step; `EEXIST` when that name is taken. */
  link(path: string, name: string): Promise<void>;
  /** Resolves when the names in a directory are on the disk, where the system can tell. */
  syncDirectory(path: string): Promise<void>;
  /** Makes an empty directory of its own in the system's temporary folder. */
  makeTemporaryDirectory(prefix: string): Promise<string>;
}
