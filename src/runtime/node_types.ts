/** Types of Node that declarations of the official SDK use; a program needs no `@types/node` for the others. */
import type { ChildProcess } from "node:child_process";

export type { Readable, Writable } from "node:stream";

/** Name of a signal. */
export type Signal = NonNullable<ChildProcess["signalCode"]>;
