import { AgentError } from "./base.ts";

/**
 * A limit of `clients()` (`@sluice/agent/ui`) is reached, and no client became free in time.
 *
 * Fix: Answer the HTTP request with status 503 and `Retry-After`. Or raise the option that `limit` names.
 */
export class CapacityError extends AgentError {
  /** Name of the class. */
  override readonly name = "CapacityError";
  /** Error code, a literal. */
  override readonly code = "capacity";
  /** The option whose limit is reached: `max` for all clients, `maxPerKey` for the clients of one user. */
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
