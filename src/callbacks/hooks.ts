import type { ControlContext, ControlHandler } from "../types/control.ts";
import type {
  HookCallback,
  HookContext,
  HookEvent,
  HookMatcher,
} from "../types/hooks.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { show, typeOf } from "../errors/text.ts";
import type { Deadlines } from "../async/deadline.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import { CallbackFailure, type Listeners, tellFailure } from "./failure.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import { toBlock, toHookAnswer } from "./hook_output.ts";
import { isObject } from "./shape.ts";

/** So much longer than we does the CLI wait, in seconds: the end that is reported must be ours. */
const SLACK_SECONDS = 5;
