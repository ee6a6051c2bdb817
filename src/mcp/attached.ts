import { onAbort } from "../async/on_abort.ts";
import { closeFailure } from "../async/scope.ts";
import { UnknownServerError } from "../errors/mcp.ts";
import { show, textOfError } from "../errors/text.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { AttachedServers, AttachInit } from "./attachment.ts";
import { elicitThrough } from "./elicitation.ts";
import { notification } from "./jsonrpc.ts";
import { lintNames } from "./names.ts";
import { listsOf, readManifests, toolsIn } from "./manifest.ts";
import {
  closeMembers,
  type Member,
  type Members,
  openMembers,
  proxiedOf,
} from "./member.ts";
import { McpProxy } from "./proxy.ts";

/** The servers of one conversation. */
export class Attached implements AttachedServers {
  readonly #init: AttachInit;
  readonly #proxy: McpProxy;
  readonly #members = new Map<string, Member>();
  /** Ends connecting, with the conversation or with the close. */
  readonly #ending = new AbortController();
  readonly #unfollow: () => void;
  #initializeFields: JsonObject = {};
  /** Changes of the set of servers come one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(init: AttachInit) {
    const { elicitation, signal } = init;
    this.#init = init;
    const elicit = elicitation && elicitThrough(elicitation);
    this.#proxy = new McpProxy({ ...init, elicit });
    this.#unfollow = onAbort(signal, () => this.#end(signal.reason));
    if (signal.aborted) this.#end(signal.reason);
  }

  get initializeFields(): JsonObject {
    return this.#initializeFields;
  }

  get handle(): ControlHandler {
    return this.#proxy.handle;
  }

  names(): readonly string[] {
    return [...this.#members.keys()];
  }

  begin(): void {
    this.#proxy.begin();
  }

  /** The first thing to do. */
  async connect(): Promise<void> {
    const { servers, log } = this.#init;
    const { signal } = this.#ending;
    const members = await this.#open(Object.entries(servers));
    try {
      const manifests = await readManifests(members, signal, log);
      this.#warn(manifests);
      signal.throwIfAborted();
      if (members.size > 0) {
        this.#initializeFields = {
          sdkMcpServers: [...members.keys()],
          sdkMcpServerManifests: Object.fromEntries(manifests),
        };
      }
    } catch (error) {
      this.#unfollow();
      await closeMembers(members);
      throw error;
    }
    this.#take(members);
  }

  reconnect(name: string): Promise<void> {
    return this.#change(async () => {
      const member = this.#members.get(name);
      if (member === undefined) {
        throw new UnknownServerError({
          message: `MCP server is not known: ${show(name)}`,
          server: name,
        });
      }
      const reason = `MCP server "${name}" is connected anew`;
      this.#proxy.end(name, new Error(reason));
      await this.#closeQuietly(new Map([[name, member]]));
      this.#take(await this.#open([[name, member.config]]));
      for (const list of listsOf(this.#members.get(name)?.connection)) {
        const method = `notifications/${list}/list_changed`;
        this.#init.send(name, notification(method));
      }
    });
  }

  replace<T>(
    servers: Readonly<Record<string, McpServerConfig>>,
    apply: (wire: JsonObject) => Promise<T>,
  ): Promise<T> {
    return this.#change(async () => {
      const names = Object.keys(servers);
      const earlier = new Map(this.#members);
      const fresh = await this.#open(
        Object.entries(servers)
          .filter(([name, config]) => earlier.get(name)?.config !== config),
      );
      this.#take(fresh);
      const wire = names.map((name) => [name, { type: "sdk", name }]);
      try {
        const result = await apply(Object.fromEntries(wire));
        const old = Array.from(earlier)
          .filter(([name]) => fresh.has(name) || !names.includes(name));
        for (const [name] of old) if (!fresh.has(name)) this.#forget(name);
        await this.#closeQuietly(new Map(old));
        return result;
      } catch (error) {
        for (const name of fresh.keys()) this.#forget(name);
        this.#take(
          new Map(Array.from(earlier).filter(([name]) => fresh.has(name))),
        );
        await this.#closeQuietly(fresh);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#unfollow();
    this.#end(new Error("Conversation is closed"));
    await this.#changing;
    const failures = await closeMembers(this.#members);
    if (failures.size === 0) return;
    const errors = Array.from(
      failures,
      ([name, cause]) => closeFailure(`MCP server "${name}"`, cause),
    );
    throw new AggregateError(errors, "MCP servers failed to close");
  }

  #end(reason: unknown): void {
    this.#ending.abort(reason);
    this.#proxy.close(reason);
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  #open(
    configs: readonly (readonly [string, McpServerConfig])[],
  ): Promise<Members> {
    return openMembers(new Map(configs), this.#init, this.#ending.signal);
  }

  #take(members: Members): void {
    const { mcpMs } = this.#init.settings.timeouts;
    for (const [name, member] of members) {
      this.#members.set(name, member);
      this.#proxy.add(proxiedOf(member, mcpMs));
    }
  }

  #forget(name: string): void {
    this.#proxy.remove(name);
    this.#members.delete(name);
  }

  async #closeQuietly(members: Members): Promise<void> {
    for (const [server, error] of await closeMembers(members)) {
      this.#init.log.warn("MCP server failed to close", {
        server,
        error: textOfError(error),
      });
    }
  }

  /** Names that the CLI would mis-route are worth a word; it takes them all the same. */
  #warn(manifests: ReadonlyMap<string, JsonObject>): void {
    const { servers, settings, log } = this.#init;
    const names = Object.keys({ ...settings.options.mcpServers, ...servers });
    const tools = new Map(
      names.map((name) => [name, toolsIn(manifests.get(name))]),
    );
    for (const fault of lintNames(tools)) log.warn(fault);
  }
}

/**
 * Connects the servers of a conversation: all of them or none.
 *
 * Rejects with the one `McpInitError`, or with the signal's reason; everything is closed again by then.
 */
export async function attachServers(
  init: AttachInit,
): Promise<AttachedServers> {
  const attached = new Attached(init);
  await attached.connect();
  return attached;
}
