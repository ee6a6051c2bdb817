import assert from "node:assert/strict";
import {
  CliError,
  CliExitError,
  CliStalledError,
  ClosedError,
  ConfigError,
  DeliveryUnknownError,
  isRetryable,
  ProtocolError,
  ResultError,
  type ResultMessage,
  ServerUnavailableError,
} from "@sluice/agent";
import { test } from "../_harness.ts";

const message = "It failed";

function timeout(subtype: string): ProtocolError {
  return new ProtocolError({ message, category: "timeout", subtype });
}

function exit(exitCode: number | null, signal: string | null): CliExitError {
  return new CliExitError({ message, exitCode, signal, reason: message });
}

function result(status: number | null): ResultError {
  const result = { api_error_status: status } as ResultMessage;
  return new ResultError({ message, result });
}

function start(cause: unknown): CliError {
  return new CliError({ message, stage: "connect", cause });
}

test("isRetryable() is true for what passes and false for what is wrong in itself", () => {
  const passing = [
    new CliStalledError({ message, idleMs: 1 }),
    exit(null, "SIGKILL"),
    exit(0, null),
    exit(137, null),
    start(timeout("initialize")),
    timeout("set_model"),
    result(429),
    result(529),
    new ServerUnavailableError({ message, server: "a", attempts: 1 }),
  ];
  for (const error of passing) {
    assert.equal(isRetryable(error), true, error.name);
  }
  const lasting = [
    exit(1, null),
    start(new Error("EACCES")),
    timeout("can_use_tool"),
    result(401),
    result(null),
    new ResultError({ message, result: undefined }),
    new ConfigError({ message, key: "model" }),
    new ClosedError("Client"),
    new DeliveryUnknownError({ message, server: "a", attempts: 1 }),
    new Error("another"),
    "a text",
    undefined,
  ];
  for (const error of lasting) {
    assert.equal(isRetryable(error), false, String(error));
  }
});
