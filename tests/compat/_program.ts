import type * as sdk from "../../src/compat/mod.ts";
import type { ModelTurn } from "@sluice/agent/testing";

/** Module that programs import: the official SDK, or its stand-in. */
export type Sdk = typeof sdk;
export type * from "../../src/compat/mod.ts";

/** Answers of the model. */
export type Model = readonly ModelTurn[];

/** Where a program runs. */
export interface Place {
  /** The options that make the CLI a lonely one: path, environment, working directory. */
  readonly options: {
    readonly pathToClaudeCodeExecutable: string;
    readonly env: { [name: string]: string };
    readonly cwd: string;
  };
  /** Prints; what was printed is compared. */
  readonly print: (...values: readonly unknown[]) => void;
  /** Command of an MCP server of its own process. */
  readonly stdioServer: { command: string; args: string[] };
}

/** A program of a user. */
export type Program = (sdk: Sdk, place: Place) => Promise<void>;

/** Parts that may differ between the two packages. */
export type Differs = NonNullable<ProgramModule["differs"]>;

/** A module of `programs/`. */
export interface ProgramModule {
  /** Answers of the model. */
  readonly model: Model;
  /** The program. */
  readonly default: Program;
  /** Whether the order of what it sends is a matter of time. */
  readonly isUnordered?: boolean;
  /** Parts that may differ between the two packages, with the reason; the pages for users list them too. */
  readonly differs?: {
    readonly parts:
      readonly ("printed" | "args" | "stdin" | "exits" | "code")[];
    readonly why: string;
  };
}
