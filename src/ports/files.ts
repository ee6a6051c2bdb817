/** What is at a path. */
export interface FileStatus {
  /** Kind of the thing, links followed. */
  readonly kind: "file" | "directory" | "other";
  /** Size in bytes. */
  readonly size: number;
  /** Last change, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** The few file operations that discovery and stores need. All reject with an error that has a `code` such as `ENOENT`. */
export interface Files {
  /** What is there, links followed; `undefined` when nothing is. */
  status(path: string): Promise<FileStatus | undefined>;
  /** Where a symbolic link points, as written; `undefined` when it is no link. */
  linkTarget(path: string): Promise<string | undefined>;
  /** The path with every link resolved. */
  realPath(path: string): Promise<string>;
  /** Whether this user may execute the file. */
  isExecutable(path: string): Promise<boolean>;
  /** Names in a directory. */
  list(path: string): Promise<readonly string[]>;
  /** The text of a file. */
  readText(path: string): Promise<string>;
  /** Writes a text, replacing what was there. */
  writeText(path: string, text: string): Promise<void>;
  /** Adds to the end of a file, made when missing. */
  appendText(path: string, text: string): Promise<void>;
  /** Moves a file in one step, replacing what was there. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a directory with all in it; nothing there is no error. */
  remove(path: string): Promise<void>;
  /** Makes a directory and its parents; there already is no error. */
  makeDirectory(path: string): Promise<void>;
  /** Makes an empty directory of its own in the system's temporary folder. */
  makeTemporaryDirectory(prefix: string): Promise<string>;
}
