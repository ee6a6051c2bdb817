import { pick } from "./options/_random.ts";

const LETTERS = [
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
];
/** Characters that look different in JSON, in a URL, in HTML and in a header. */
const ODD = [...LETTERS, ..."&<>\"'\\/+=%~!*()@:?# ", "ü", "€"];

/** Makes secrets, and remembers them. */
export class Plants {
  readonly secrets: string[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** One that stands in a header or a URL as it is. */
  plain(): string {
    return this.#plant(LETTERS);
  }

  /** One that stands in a variable or in JSON. */
  odd(): string {
    return this.#plant(ODD);
  }

  #plant(alphabet: readonly string[]): string {
    const length = 8 + Math.floor(this.#random() * 24);
    const body = Array.from({ length }, () => pick(this.#random, alphabet));
    // It is no number, and has no blanks at its ends.
    const secret = `z${body.join("")}Z`;
    this.secrets.push(secret);
    return secret;
  }
}

/** In which of its usual dresses a text holds a secret; none when it does not. */
export function leakIn(text: string, secret: string): string | undefined {
  const dresses = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    packed(secret).replace(/=+$/, ""),
  ];
  return dresses.find((one) => text.includes(one));
}

/** A text in base64. */
export function packed(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
}
