import { ConfigError } from "../errors/config.ts";

/**
 * A copy of the headers of a configuration.
 *
 * Changes made to the configuration later change nothing. A line break would let a value add headers of its own; the
 * value is not repeated in the error, since most headers of this kind are secrets.
 */
export function copyHeaders(
  server: string,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    const key = `mcpServers.${server}.headers.${name}`;
    if (typeof value !== "string" || /[\r\n\0]/.test(value)) {
      throw new ConfigError({
        message: `Option "${key}" must be a text without line breaks`,
        key,
      });
    }
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new ConfigError({
        message: `Option "${key}" is not named like a header`,
        key,
      });
    }
  }
  return { ...headers };
}

/** How long the server asks to wait, in milliseconds: seconds or a date; `undefined` when it does not say. */
export function retryAfterMs(
  headers: Headers,
  now: number,
): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
