/** A context of OpenTelemetry. */
export interface ContextLike {
  /** Returns a value. */
  getValue(key: symbol): unknown;
  /** Returns a context with one value more. */
  setValue(key: symbol, value: unknown): ContextLike;
  /** Returns a context with one value less. */
  deleteValue(key: symbol): ContextLike;
}

/** The registered parts of the API. */
interface Registered {
  readonly context?: {
    active(): ContextLike;
    with(context: ContextLike, work: () => void): void;
  };
  readonly trace?: { getTracer(name: string, version: string): unknown };
  readonly metrics?: { getMeter(name: string, version: string): unknown };
}

/** Place at which every copy of `@opentelemetry/api` 1.x registers itself. */
const API = Symbol.for("opentelemetry.js.api.1");

/** The parts of OpenTelemetry that are registered in this program; loads nothing. They are foreign code, which may throw. */
export function openTelemetry(): Registered {
  return Reflect.get(globalThis, API) ?? {};
}

/** The active context, if there is a context manager. */
export function activeContext(): ContextLike | undefined {
  try {
    return openTelemetry().context?.active();
  } catch {
    return undefined;
  }
}
