import { appliedVariables, keepHooks } from "../options/required_hooks.ts";
import type { CheckedOptions } from "../options/settings.ts";
import type { JsonObject } from "../types/json.ts";
import type { Requests } from "../wire/requests.ts";

/** Requests made by the user: settings that keep hooks on are added, requests that would switch them off are rejected. */
export class GuardedRequests implements Requests {
  readonly #requests: Requests;
  readonly #options: CheckedOptions;
  /** The environment that `apply_flag_settings` gave the CLI last. */
  variables: JsonObject = {};

  constructor(requests: Requests, options: CheckedOptions) {
    this.#requests = requests;
    this.#options = options;
  }

  async send(
    ...[subtype, fields, settings]: Parameters<Requests["send"]>
  ): Promise<JsonObject> {
    const kept = keepHooks(this.#options, subtype, fields);
    const before = this.variables;
    const variables = appliedVariables(subtype, kept);
    // At once: `reinitialize()` may be called behind it.
    if (variables !== undefined) this.variables = variables;
    try {
      return await this.#requests.send(subtype, kept, settings);
    } catch (error) {
      if (this.variables === variables) this.variables = before;
      throw error;
    }
  }
}
