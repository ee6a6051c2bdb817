import { ConfigError } from "@sluice/agent";
import type { FleetError } from "./errors.ts";
import { fleetError, type Path } from "./engine.ts";

/** The first byte of a stored value. */
const PLAIN = 0;
const SEALED = 1;
const IV_BYTES = 12;
const KEY_BYTES = 32;

/** Encrypts stored values, where the fleet has a key. */
export interface Sealing {
  /** A name for use in a path. */
  hide(name: string): Promise<string>;
  /** Seals a value for one place: it cannot be opened at another. */
  seal(place: Path, value: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Opens it; rejects with a `FleetError` if it was sealed with another key, or changed. */
  open(place: Path, value: Uint8Array): Promise<Uint8Array>;
}

const plain: Sealing = {
  hide: (name) => Promise.resolve(name),
  seal: (_place, value) => Promise.resolve(marked(PLAIN, value)),
  open(place, value) {
    if (value[0] === PLAIN) return Promise.resolve(value.subarray(1));
    return Promise.reject(unreadable(place, 'it is sealed: set "key"'));
  },
};

/** AES-GCM with a key of 32 bytes, as base64; without a key values stay readable. */
export async function sealingWith(key: string | undefined): Promise<Sealing> {
  if (key === undefined) return plain;
  const secret = await crypto.subtle.importKey(
    "raw",
    keyBytes(key),
    "AES-GCM",
    false,
    ["encrypt", "decrypt"],
  );
  const naming = await crypto.subtle.importKey(
    "raw",
    keyBytes(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const cipher = (iv: Uint8Array<ArrayBuffer>, place: Path) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(JSON.stringify(place)),
  });
  return {
    async hide(name) {
      const bytes = new TextEncoder().encode(name);
      const sign = new Uint8Array(
        await crypto.subtle.sign("HMAC", naming, bytes),
      );
      return Array.from(sign, (byte) => byte.toString(16).padStart(2, "0"))
        .join("");
    },
    async seal(place, value) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const text = await crypto.subtle.encrypt(
        cipher(iv, place),
        secret,
        new Uint8Array(value),
      );
      return marked(SEALED, iv, new Uint8Array(text));
    },
    async open(place, value) {
      // An untrusted server could return a value that was never sealed.
      if (value[0] !== SEALED) throw unreadable(place, "it is not sealed");
      const iv = new Uint8Array(value.subarray(1, 1 + IV_BYTES));
      const text = new Uint8Array(value.subarray(1 + IV_BYTES));
      try {
        const opened = await crypto.subtle.decrypt(
          cipher(iv, place),
          secret,
          text,
        );
        return new Uint8Array(opened);
      } catch {
        throw unreadable(place, "it was sealed with another key, or changed");
      }
    },
  };
}

/** The bytes of a key; rejects an invalid one with `ConfigError`. */
export function keyBytes(key: string): Uint8Array<ArrayBuffer> {
  let text: string;
  try {
    text = atob(key);
  } catch {
    text = "";
  }
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  if (bytes.length === KEY_BYTES) return bytes;
  throw new ConfigError({
    message:
      `Option "key" must be ${KEY_BYTES} bytes as base64: make it with "openssl rand -base64 ${KEY_BYTES}"`,
    key: "key",
  });
}

function marked(
  mark: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, part) => sum + part.length, 1);
  const all = new Uint8Array(size);
  all[0] = mark;
  let at = 1;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function unreadable(place: Path, why: string): FleetError {
  return fleetError("unreadable", `Cannot read ${place.join("/")}: ${why}`);
}
