import { AgentError } from "./base.ts";
import { show } from "./text.ts";

/** Something was called on a client that is not connected. */
export class NotConnectedError extends AgentError {
  /** Name of the class. */
  override readonly name = "NotConnectedError";
  /** Family. */
  override readonly code = "not_connected";

  /** Takes what was called. */
  constructor(called: string) {
    super({
      message: `Cannot call ${called} before connect(): call connect() first`,
      fatal: false,
    });
  }
}

/** `connect()` was called on something that is connected or connecting. */
export class AlreadyConnectedError extends AgentError {
  /** Name of the class. */
  override readonly name = "AlreadyConnectedError";
  /** Family. */
  override readonly code = "already_connected";

  /** Takes what is connected already. */
  constructor(what: string) {
    super({ message: `${what} is already connected`, fatal: false });
  }
}

/** Something was called after `close()`. */
export class ClosedError extends AgentError {
  /** Name of the class. */
  override readonly name = "ClosedError";
  /** Family. */
  override readonly code = "closed";

  /** Takes what is closed. */
  constructor(what: string) {
    super({ message: `${what} is closed`, fatal: false });
  }
}

/** A question was answered that does not wait for an answer. */
export class NotPendingError extends AgentError {
  /** Name of the class. */
  override readonly name = "NotPendingError";
  /** Family. */
  override readonly code = "not_pending";
  /** What was answered. */
  readonly id: string;
  /** Answered before, withdrawn with its call or its conversation, or never asked as far as is remembered. */
  readonly reason: "answered" | "withdrawn" | "unknown";

  /** Takes the question, and what became of it. */
  constructor(id: string, reason: NotPendingError["reason"]) {
    super({
      message: `Question ${show(id)} ${GONE[reason]}`,
      fatal: false,
    });
    this.id = id;
    this.reason = reason;
  }
}

const GONE: Readonly<Record<NotPendingError["reason"], string>> = {
  answered: "was answered before",
  withdrawn: "was withdrawn: the CLI took it back, or its conversation ended",
  unknown: "is not known: take the id from what is pending",
};

/** The prompt's source threw; what it threw is the `cause`. */
export class PromptError extends AgentError {
  /** Name of the class. */
  override readonly name = "PromptError";
  /** Family. */
  override readonly code = "prompt";

  /** Takes the text and what was thrown. */
  constructor(message: string, cause: unknown) {
    super({ message, cause });
  }
}
