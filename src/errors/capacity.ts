import { AgentError } from "./base.ts";

/**
 * A limit of `clients()` is reached, and all its clients are in use.
 *
 * Fix: Answer with status 503 and `Retry-After`, or raise `limit` or `waitMs`.
 */
export class CapacityError extends AgentError {
  /** Name of the class. */
  override readonly name = "CapacityError";
  /** Error code, a literal. */
  override readonly code = "capacity";
  /** The limit that is reached: `max` in total, `maxPerKey` for one user. */
  readonly limit: "max" | "maxPerKey";
  /** Number of clients that the limit allows. */
  readonly allowed: number;

  /** Creates the error from the limit and its value. */
  constructor(limit: CapacityError["limit"], allowed: number) {
    const whose = limit === "max" ? "" : " of this user";
    const count = allowed === 1 ? "The one client" : `All ${allowed} clients`;
    const verb = allowed === 1 ? "is" : "are";
    super({
      message:
        `${count}${whose} ${verb} in use: try again later, or raise "${limit}" or "waitMs"`,
    });
    this.limit = limit;
    this.allowed = allowed;
  }
}
