const FOLDER = "tests/";
/** The tests of the other package, whole. */
const FLEET = "fleet/tests/";

/**
 * Slow tests, by what makes them so: files or folders of tests/, or {@link FLEET}. A run without flags gives each file to one runtime,
 * `--quick` to none.
 */
export const SLOW: Readonly<Record<string, readonly string[]>> = {
  "fleets, each with a NATS server and its workers": [FLEET],
  "the real CLI": ["e2e/", "otel/real_test.ts", "testing/real_cli_test.ts"],
  "MCP servers in processes of their own": [
    "mcp/attach_test.ts",
    "mcp/http_faults_test.ts",
    "mcp/http_test.ts",
    "mcp/hub_real_test.ts",
    "mcp/hub_waiting_test.ts",
    "mcp/lost_session_test.ts",
    "mcp/malformed_answers_test.ts",
    "mcp/program_end_test.ts",
    "mcp/proxy_test.ts",
    "mcp/secrets_test.ts",
    "mcp/stdio_test.ts",
  ],
  "programs, one after the other": [
    "architecture_test.ts",
    "client_close_test.ts",
    "client_lost_test.ts",
    "client_output_test.ts",
    "client_test.ts",
    "client_turns_test.ts",
    "command/",
    "compat/",
    "conformance/host_test.ts",
    "conformance/transport_test.ts",
    "conversation/",
    "first_failure_test.ts",
    "mcp/given_as_is_test.ts",
    "mcp/hub_listeners_test.ts",
    "mcp/malformed_tools_test.ts",
    "mcp/zod_test.ts",
    "options/argv_test.ts",
    "permission_queue_test.ts",
    "pool_processes_test.ts",
    "process/child_test.ts",
    "process/watchdog_test.ts",
    "process/host_watch_test.ts",
    "process/host_end_test.ts",
    "process/stderr_test.ts",
    "query_test.ts",
    "otel/conversation_test.ts",
    "session/processes_test.ts",
    "session/save_test.ts",
    "testing/fake_cli_kit_test.ts",
    "testing/faulty_cli_test.ts",
    "text_stream_test.ts",
    "ui/browser_test.ts",
    "ui/clients_test.ts",
    "ui/formats_test.ts",
    "ui/slow_reader_test.ts",
    "ui/turns_test.ts",
    "undefined_options_test.ts",
    "windows_test.ts",
  ],
  "thousands of inputs": [
    "callbacks/gate_attack_test.ts",
    "errors/redact_errors_test.ts",
    "errors/scrubber_test.ts",
    "fuzz_test.ts",
    "json_schema/compile_test.ts",
    "mcp/hub_call_test.ts",
    "mcp/hub_catalog_test.ts",
    "mcp/hub_names_test.ts",
    "options/depth_test.ts",
    "options/shell_words_test.ts",
    "pool_test.ts",
    "prompt_person_hostile_test.ts",
    "protocol/schema_test.ts",
    "session/format_test.ts",
    "session/load_test.ts",
    "session/truncate_test.ts",
  ],
  "every recorded run": ["transcripts/recorded_test.ts", "ui/ai_sdk_test.ts"],
  "stores in files": ["approvals/", "transcripts/stores_test.ts"],
  "scripts, which run on Deno alone": [
    "protocol/generate_test.ts",
    "scripts/drift_test.ts",
    "scripts/install_test.ts",
  ],
};

/** Files and folders that test the runtime itself, or run on one only: they are not distributed, however slow. */
const OF_EACH_RUNTIME: readonly string[] = [
  "async/",
  "compat/types_test.ts",
  "conformance/host_test.ts",
  "parse/",
  "process/",
  "protocol/generate_test.ts",
  "runtime/",
  "scripts/",
  "stream/",
  "wire/",
];

/** The number of the reason for which a test file, by its path under the root, is slow; -1 for a fast one. */
export function reasonOf(path: string): number {
  return Object.values(SLOW)
    .findIndex((named) => named.some((one) => isOf(path, one)));
}

/** Whether a test file is slow. */
export function isSlow(path: string): boolean {
  return reasonOf(path) !== -1;
}

/** Whether one runtime is enough for a test file. */
export function isDealt(path: string): boolean {
  return isSlow(path) && !OF_EACH_RUNTIME.some((one) => isOf(path, one));
}

/** Entries of the lists above that match none of the given files: they would have no effect. */
export function unknownIn(paths: readonly string[]): readonly string[] {
  return [...Object.values(SLOW).flat(), ...OF_EACH_RUNTIME].filter((one) =>
    !paths.some((path) => isOf(path, one))
  );
}

function isOf(path: string, named: string): boolean {
  return path.startsWith(named === FLEET ? named : FOLDER + named);
}
