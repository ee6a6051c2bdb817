import type { JsonValue } from "../types/json.ts";
import type {
  AgentOptions,
  HealthOptions,
  LimitOptions,
  PermissionOptions,
  ShutdownOptions,
  TimeoutOptions,
} from "../types/options.ts";
import type { Check } from "./fields.ts";
import type { Settings } from "./settings.ts";

/** One option: everything that this package knows of it. */
export interface Option<Value = never> {
  /** Throws for a value that it cannot have. */
  readonly check: Check;
  /** Its default, where this package has one. */
  readonly default?: Value;
  /** The flag that its value is written as. */
  readonly flag?: string;
  /** Flags of the command line that are made from it, in the order of the official SDK. */
  readonly flags?: Readonly<Record<string, Writer<Value, FlagValue>>>;
  /** Further flags that it stands for: given beside it in `extraArgs`, the CLI would take one of the two. */
  readonly replaces?: readonly string[];
  /** The field of `initialize` that its value is sent as, if there is one. */
  readonly field?: string;
  /** Fields of `initialize` that are made from it. */
  readonly fields?: Readonly<
    Record<string, Writer<Value, JsonValue | undefined>>
  >;
  /** In which field of the reply the CLI confirms those fields; it reads them before anything else, for later it ignores them. */
  readonly confirmedBy?: string;
  /** A variable of the CLI, with its value. */
  readonly variable?: readonly [
    name: string,
    write: (value: Value | undefined) => string | undefined,
  ];
  /** Its way to the CLI, for docs/options.md, if the above does not show it. */
  readonly travels?: string;
  /** The first release that knows it, where that is later than the oldest supported one. */
  readonly since?: Since;
  /** Its name in the official SDK; the same by default. */
  readonly official?: string;
  /** Names by which programs for other packages call it or a part of it, each with the key or the sentence that helps. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Why it does not go together with another option. May throw a refusal of its own. */
  readonly conflict?: (
    options: AgentOptions,
  ) => string | false | undefined | void;
}

/** Makes what is sent from a value, which is `undefined` where the option is not set. */
export type Writer<Value, Sent> = (
  value: Value | undefined,
  to: Target,
) => Sent;

/** The value of a flag: `true` = the flag alone, `undefined` or `false` = none, a list = the flag once for each. */
export type FlagValue =
  | string
  | number
  | boolean
  | readonly string[]
  | undefined;

/** The CLI that something is sent to. */
export interface Target {
  readonly settings: Settings;
  readonly platform: string;
  /** Its version, as far as that is known. */
  readonly version: string | undefined;
  knows(feature: string): boolean;
  /** Private files for what older ones do not read from `initialize`. */
  readonly files: StartFiles;
}

export interface StartFiles {
  readonly settings?: string | undefined;
  readonly mcpConfig?: string | undefined;
}

/** A feature that not every supported CLI knows. */
export interface Since {
  /** The first release that knows it. */
  readonly release: string;
  /** The flag, variable or field that uses it; its first flag by default. */
  readonly sent?: string;
  /** The substitute for an older CLI, if its version is known in time; absent = the option is refused. */
  readonly instead?: string;
  /** The option that uses it, or whether this one does; by default, if this one is set. */
  readonly isUsed?: (options: AgentOptions) => boolean | string | undefined;
  /** Whether it guards something: a CLI that does not say its version in time is refused too. */
  readonly isGuard?: boolean;
  /** Another remedy than to leave the option out. */
  readonly help?: string;
}

/** Options by their dotted keys. */
export type OptionRows = Readonly<Record<string, Option>>;

/** Options whose keys are rows of their own, with dotted names. */
export interface Groups {
  /** Decisions about tool calls; unset = the CLI's own rules, and nothing more is granted. */
  readonly permissions: PermissionOptions;
  /** Timeouts, in milliseconds. */
  readonly timeouts: TimeoutOptions;
  /** Shutdown of the CLI. */
  readonly shutdown: ShutdownOptions;
  /** Limits on sizes, in bytes unless the name says otherwise. */
  readonly limits: LimitOptions;
  /** The watch over silent turns. */
  readonly health: HealthOptions;
}

/** One row: the type of the option, all that is known of it, and above it the sentence for its users. */
export function option<Value>(row: Option<Value>): Option {
  // A writer is only ever called with the value of its own row.
  return row as unknown as Option;
}
