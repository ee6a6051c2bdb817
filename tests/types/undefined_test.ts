import type {
  AgentDefinition,
  AgentOptions,
  AssistantMessage,
  CallSettings,
  CliDiscovery,
  ContextUsage,
  Controls,
  DiscoverOptions,
  HealthOptions,
  HookInputs,
  HookMatcher,
  HookOutputFields,
  InitMessage,
  JsonObject,
  LimitOptions,
  McpRequestOptions,
  McpServerConfig,
  McpServerDefinition,
  Metrics,
  PermissionContext,
  PermissionDecision,
  PermissionOptions,
  PluginConfig,
  ProcessHealth,
  ProtocolMetrics,
  ResultSuccess,
  SessionInfo,
  ShutdownOptions,
  SyncHookOutput,
  SystemPromptOptions,
  TextBlock,
  ThinkingOptions,
  TimeoutOptions,
  ToolAnnotations,
  UserMessage,
  UserMessageInput,
} from "@sluice/agent";
import type {
  Budget,
  LoadOptions,
  SessionInit,
  SessionStoreOptions,
} from "@sluice/agent/session";
import type {
  FakeCliPlan,
  MemoryTransportOptions,
  RecordOptions,
  ReplayOptions,
  ScriptedModelOptions,
} from "@sluice/agent/testing";
import type {
  CallOptions,
  CatalogTool,
  HubOptions,
  HubServerConfig,
  RetryOptions,
  ToolDefinition,
  ToolResult,
} from "@sluice/agent/mcp";
import { test } from "../_harness.ts";
import { holds, type Same } from "./_same.ts";

/** The names of the keys that may be left out. */
type Optional<T> = T extends unknown ? {
    [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never;
  }[keyof T]
  : never;

/** Those of them that may not be `undefined`. */
type Strict<T> = T extends unknown ? {
    [Key in Optional<T>]: { readonly [One in Key]: undefined } extends
      Pick<T, Key> ? never : Key;
  }[Optional<T>]
  : never;

/** The last parameter of a control. */
type Last<F> = F extends (...args: infer A) => unknown
  ? Required<A> extends readonly [...unknown[], infer L] ? L : never
  : never;

test("Every key of what is given to a conversation may be undefined", () => {
  holds<Same<Strict<AgentOptions>, never>>();
  holds<Same<Strict<ThinkingOptions>, never>>();
  holds<Same<Strict<SystemPromptOptions>, never>>();
  holds<Same<Strict<NonNullable<AgentOptions["hooks"]>>, never>>();
  holds<Same<Strict<HookMatcher<"Stop">>, never>>();
  holds<Same<Strict<SyncHookOutput>, never>>();
  holds<Same<Strict<HookOutputFields[keyof HookOutputFields]>, never>>();
  holds<Same<Strict<PermissionOptions>, never>>();
  holds<Same<Strict<PermissionDecision>, never>>();
  holds<Same<Strict<AgentDefinition | PluginConfig>, never>>();
  holds<
    Same<
      Strict<TimeoutOptions | ShutdownOptions | LimitOptions | HealthOptions>,
      never
    >
  >();
  holds<Same<Strict<Metrics | ProtocolMetrics>, never>>();
  holds<Same<Strict<UserMessageInput>, never>>();
  holds<Same<Strict<CallSettings | DiscoverOptions>, never>>();
  holds<Same<Strict<Last<Controls[keyof Controls]> & object>, never>>();
});

test("Every key of what is given to servers, hubs, chats and stand-ins may be undefined", () => {
  holds<Same<Strict<McpServerConfig>, never>>();
  holds<Same<Strict<HubServerConfig | HubOptions | RetryOptions>, never>>();
  holds<Same<Strict<CallOptions | McpRequestOptions>, never>>();
  holds<Same<Strict<McpServerDefinition | ToolAnnotations>, never>>();
  holds<Same<Strict<ToolDefinition<JsonObject, JsonObject>>, never>>();
  holds<
    Same<
      Strict<SessionInit | SessionStoreOptions | LoadOptions | Budget>,
      never
    >
  >();
  holds<
    Same<
      Strict<
        | FakeCliPlan
        | MemoryTransportOptions
        | ScriptedModelOptions
        | RecordOptions
        | ReplayOptions
      >,
      never
    >
  >();
});

/** The optional keys that may be `undefined`, but for what can be anything. */
type Loose<T> = T extends unknown ? {
    [Key in Exclude<Optional<T>, Strict<T>>]: string extends Key ? never
      : unknown extends T[Key & keyof T] ? never
      : Key;
  }[Exclude<Optional<T>, Strict<T>>]
  : never;

test("Values that are read stay exact: an existing key has a value", () => {
  holds<Same<Loose<AssistantMessage | UserMessage>, never>>();
  holds<Same<Loose<ResultSuccess | InitMessage | TextBlock>, never>>();
  holds<Same<Loose<ContextUsage | SessionInfo>, never>>();
  holds<Same<Loose<ProcessHealth | CliDiscovery>, never>>();
  holds<Same<Loose<PermissionContext | HookInputs[keyof HookInputs]>, never>>();
  holds<Same<Loose<ToolResult | CatalogTool>, never>>();
});
