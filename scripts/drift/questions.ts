import type { Client } from "../../mod.ts";

const UUID = "11111111-2222-4333-8444-555555555555";

/** Requests that the host may send when nothing runs. */
export const QUESTIONS: readonly (readonly [
  string,
  NonNullable<Parameters<Client["request"]>[1]>,
])[] = [
  ["mcp_status", {}],
  ["get_context_usage", {}],
  ["get_session_cost", {}],
  ["get_usage", {}],
  ["list_models", {}],
  ["get_binary_version", {}],
  ["file_suggestions", { query: "a" }],
  ["read_file", { path: "a.txt" }],
  ["get_settings", {}],
  ["get_hooks_listing", {}],
  ["list_permission_rules", {}],
  ["reload_plugins", {}],
  ["reload_skills", {}],
  ["reload_output_styles", {}],
  ["background_tasks", {}],
  ["cancel_async_message", { message_uuid: UUID }],
  ["interrupt", {}],
  ["set_permission_mode", { mode: "acceptEdits" }],
  ["set_model", { model: "claude-haiku-4-5" }],
  ["set_max_thinking_tokens", { max_thinking_tokens: 1000 }],
  ["mcp_set_servers", { servers: {} }],
  ["rename_session", { title: "My title" }],
  ["seed_read_state", { path: "/a.txt", mtime: 0 }],
  ["apply_flag_settings", { settings: { theme: "dark" } }],
  ["stop_task", { task_id: "nope" }],
  ["set_has_subscribers", { has_subscribers: true }],
  ["rewind_files", { user_message_id: UUID, dry_run: true }],
];
