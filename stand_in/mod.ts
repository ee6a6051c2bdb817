/**
 * The official SDK's entry `.`, by way of `@sluice/agent/compat`.
 *
 * @module
 */
import { NotInThisPackageError, UNDECLARED } from "./absent.ts";

export * from "../src/compat/mod.ts";
export { NotInThisPackageError } from "./absent.ts";

/** Not here: it has no declaration in the official package. */
export class CommandMatcher {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("CommandMatcher", UNDECLARED);
  }
}

/** Not here: it has no declaration in the official package. */
export class FileIndex {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("FileIndex", UNDECLARED);
  }
}

/** Not here: it has no declaration in the official package. */
export class DirectConnectTransport {
  /** @throws {NotInThisPackageError} Always */
  constructor() {
    throw new NotInThisPackageError("DirectConnectTransport", UNDECLARED);
  }
}

/** Thrown by nothing here: programs may ask whether an error is one. */
export class DirectConnectError extends Error {}

/**
 * Not here: it has no declaration in the official package.
 *
 * @throws {NotInThisPackageError} Always
 */
export function parseDirectConnectUrl(): never {
  throw new NotInThisPackageError("parseDirectConnectUrl()", UNDECLARED);
}
