/** Facts of a log line, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where log lines go; `console` fits.
 *
 * A logger that throws never disturbs a conversation. Secrets never reach it.
 */
export interface Logger {
  /** Steps worth following when something is being hunted; asked for only when present. */
  debug(message: string, fields?: LogFields): void;
  /** Start and end of processes. */
  info(message: string, fields?: LogFields): void;
  /** Something that works but should be looked at. */
  warn(message: string, fields?: LogFields): void;
  /** Something that failed. */
  error(message: string, fields?: LogFields): void;
}
