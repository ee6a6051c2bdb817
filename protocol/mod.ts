/** The whole protocol: every shape by its name, the control requests and the hooks. */
import { API, type ApiType } from "./api.ts";
import { CONTENT } from "./content.ts";
import { CLI_CONTROLS, CONTROL_CLI } from "./control_cli.ts";
import {
  CONTROL_HOST,
  CONTROL_REPLIES,
  HOST_CONTROLS,
} from "./control_host.ts";
import { HOST_METHODS, type HostMethod } from "./host_methods.ts";
import { HOOK_EVENTS, HOOK_INPUTS, type HookRow, HOOKS } from "./hooks.ts";
import { LINES } from "./lines.ts";
import { MESSAGES_OTHER } from "./messages_other.ts";
import { MESSAGES_SYSTEM } from "./messages_system.ts";
import { MESSAGES_TURN } from "./messages_turn.ts";
import { OFFICIAL, OFFICIAL_LISTS, OFFICIAL_TOOLS } from "./official.ts";
import {
  OFFICIAL_CONTROLS,
  type OfficialControl,
} from "./official_controls.ts";
import { OFFICIAL_OPTIONS, type OfficialOption } from "./official_options.ts";
import { OFFICIAL_TYPES, type OfficialTypes } from "./official_types.ts";
import { OFFICIAL_VALUES } from "./official_values.ts";
import { PERMISSIONS } from "./permissions.ts";
import { SESSION } from "./session.ts";
import { TOOLS } from "./tools.ts";
import { USAGE } from "./usage.ts";
import type { Control, Topic } from "./words.ts";

/** The input of the generator. */
export interface Protocol {
  /** Version of the CLI that is described. */
  readonly version: string;
  /** The shapes, by topic. */
  readonly topics: readonly Topic[];
  /** The control requests. */
  readonly controls: readonly Control[];
  /** Lists of words that the code needs: their name, and that of the shape. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of answer shapes that callbacks are checked against. */
  readonly answers: readonly string[];
  /** The hooks. */
  readonly hooks: readonly HookRow[];
  /** Names of shapes by their names in the official package. */
  readonly official: Readonly<Record<string, string>>;
  /** Types of the API's own package, by their names there. */
  readonly api: Readonly<Record<string, ApiType>>;
  /** Other types of the official package. */
  readonly officialTypes: OfficialTypes;
  /** Constants of the official package. */
  readonly officialValues: typeof OFFICIAL_VALUES;
  /** Methods of a query, by their names in the official package. */
  readonly officialControls: Readonly<Record<string, OfficialControl>>;
  /** Methods of a conversation without a request of their own. */
  readonly hostMethods: Readonly<Record<string, HostMethod>>;
  /** Options of a query, by their names in the official package. */
  readonly officialOptions: Readonly<Record<string, OfficialOption>>;
  /** Tools, as the official package names their inputs and outputs. */
  readonly officialTools: readonly string[];
  /** Lists in the outputs of tools, as paths: `tasks[].blockedBy[]`. */
  readonly officialLists: Readonly<Record<string, readonly string[]>>;
}

/** The protocol of the Claude Code CLI. */
export const PROTOCOL: Protocol = {
  version: "2.1.332",
  topics: [
    CONTENT,
    USAGE,
    MESSAGES_TURN,
    MESSAGES_SYSTEM,
    MESSAGES_OTHER,
    SESSION,
    PERMISSIONS,
    HOOK_INPUTS,
    HOOKS,
    CONTROL_HOST,
    CONTROL_REPLIES,
    CONTROL_CLI,
    LINES,
    TOOLS,
  ],
  controls: [...HOST_CONTROLS, ...CLI_CONTROLS],
  values: {
    EFFORTS: "Effort",
    HOOK_EVENTS: "HookEvent",
    PERMISSION_MODES: "PermissionMode",
  },
  answers: [
    "DialogReply",
    "HookOutputCommon",
    "McpElicitationReply",
    "PermissionResult",
    "PermissionUpdate",
  ],
  hooks: HOOK_EVENTS,
  official: OFFICIAL,
  api: API,
  officialTypes: OFFICIAL_TYPES,
  officialValues: OFFICIAL_VALUES,
  officialControls: OFFICIAL_CONTROLS,
  hostMethods: HOST_METHODS,
  officialOptions: OFFICIAL_OPTIONS,
  officialTools: OFFICIAL_TOOLS,
  officialLists: OFFICIAL_LISTS,
};
