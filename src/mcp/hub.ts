import { Deadlines } from "../async/deadline.ts";
import { Gate } from "../async/gate.ts";
import { joinSignals } from "../async/joined_signal.ts";
import { systemClock } from "../async/system_clock.ts";
import {
  McpProtocolError,
  UnknownServerError,
  UnknownToolError,
} from "../errors/mcp.ts";
import {
  AlreadyConnectedError,
  ClosedError,
  NotConnectedError,
} from "../errors/state.ts";
import { cut, show, textOfError, toError } from "../errors/text.ts";
import { safeLogger } from "../observe/log.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type {
  CallOptions,
  Catalog,
  CatalogTool,
  HubOptions,
  HubRequestOptions,
  HubServerConfig,
  LocalMcpServer,
  ServerItem,
  ServerStatus,
  ToolContent,
  ToolResult,
} from "../types/mcp.ts";
import { hubServer } from "./as_server.ts";
import { Attempts, type Job } from "./call.ts";
import {
  buildSnapshot,
  emptySnapshot,
  type Route,
  type Snapshot,
} from "./catalog.ts";
import { closeAll, connectAll } from "./connect_all.ts";
import { foreignDial, ownDial } from "./dial.ts";
import { JsonRpcError } from "./failure.ts";
import { type HubSettings, readOptions, readServers } from "./hub_config.ts";
import { isRecord, METHOD_NOT_FOUND } from "./jsonrpc.ts";
import { joinName, splitName } from "./names.ts";
import { type ListMethod, readAll } from "./pages.ts";
import { ServerLink } from "./redial.ts";
import { Refresh } from "./refresh.ts";
import { answerQuestions, offeredCapabilities } from "./server_questions.ts";
