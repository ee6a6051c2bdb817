// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// Ways to turn chunks of bytes into parsed messages. Each is a class with
// push(chunk) -> array of messages. A raw newline never occurs inside JSON
// text, so every newline ends a message. Bytes are kept with slice(), which
// copies a Uint8Array (its buffer may be reused by a BYOB reader) and only views
// a node Buffer (never reused). For measuring only: no blank or bad lines.
import { Buffer, isAscii } from "node:buffer";

const NL = 10;

/** Bytes only: what the pipe and the runtime's reader cost. */
class Bytes {
  push() {
    return [];
  }
}

/** Streaming TextDecoder + split. */
class SplitParse {
  #d = new TextDecoder();
  #rest = "";
  push(c) {
    const lines = (this.#rest + this.#d.decode(c, { stream: true })).split(
      "\n",
    );
    this.#rest = lines.pop();
    for (let i = 0; i < lines.length; i++) lines[i] = JSON.parse(lines[i]);
    return lines;
  }
}

/** indexOf + one decode per line, by Buffer or by TextDecoder. */
class PerLine {
  #parts = [];
  push(c) {
    const out = [];
    let from = 0;
    for (let i = c.indexOf(NL); i !== -1; i = c.indexOf(NL, from)) {
      let line = c.subarray(from, i);
      if (this.#parts.length) {
        this.#parts.push(line);
        line = Buffer.concat(this.#parts);
        this.#parts = [];
      }
      out.push(JSON.parse(this.decode(line)));
      from = i + 1;
    }
    if (from < c.length) this.#parts.push(c.slice(from));
    return out;
  }
}
class TdLine extends PerLine {
  #d = new TextDecoder();
  decode(line) {
    return this.#d.decode(line);
  }
}
class BufLine extends PerLine {
  decode(line) {
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString(
      "utf8",
    );
  }
  push(c) {
    return super.push(new Uint8Array(c.buffer, c.byteOffset, c.byteLength));
  }
}

/**
 * Cut every chunk at its last newline, decode the complete part in one go
 * (never a split code point, so no streaming decoder), keep the rest as bytes.
 */
class Cut {
  #d = new TextDecoder();
  #parts = [];
  #held = 0;
  whole(c) {
    const last = c.lastIndexOf(NL);
    if (last === -1) {
      this.#parts.push(c.slice());
      this.#held += c.length;
      return undefined;
    }
    let text;
    if (this.#held) {
      const first = c.indexOf(NL);
      const head = new Uint8Array(this.#held + first + 1);
      let at = 0;
      for (const p of this.#parts) {
        head.set(p, at);
        at += p.length;
      }
      head.set(c.subarray(0, first + 1), at);
      this.#parts = [];
      this.#held = 0;
      text = this.#d.decode(head);
      if (last > first) text += this.#d.decode(c.subarray(first + 1, last));
      else text = text.slice(0, -1);
    } else text = this.#d.decode(c.subarray(0, last));
    if (last + 1 < c.length) {
      this.#parts.push(c.slice(last + 1));
      this.#held = c.length - last - 1;
    }
    return text;
  }
  push(c) {
    const text = this.whole(c);
    if (text === undefined) return [];
    const lines = text.split("\n");
    for (let i = 0; i < lines.length; i++) lines[i] = JSON.parse(lines[i]);
    return lines;
  }
}

/** The same, but all messages of a chunk go through one JSON.parse. */
class CutBlock extends Cut {
  push(c) {
    const text = this.whole(c);
    return text === undefined
      ? []
      : JSON.parse("[" + text.replaceAll("\n", ",") + "]");
  }
}

/**
 * Works in two steps, so that bytes can wait unparsed: cut() ends every chunk at
 * its last newline and gives the complete lines as a piece, parse() turns a
 * piece into messages. A line that spans chunks is joined as bytes (fast) up to
 * `limit`; beyond that it is decoded as it arrives and kept as a rope of
 * strings, so that a huge line never exists as bytes and as text at once.
 * A line of more than `max` bytes is dropped and counted.
 */
class Hybrid {
  d = new TextDecoder();
  #parts = [];
  #held = 0;
  #stream = null;
  #rope = "";
  #limit;
  #max;
  #skip = false;
  dropped = 0;
  constructor(limit = 4 << 20, max = Infinity) {
    this.#limit = limit;
    this.#max = max;
  }
  #forget() {
    this.#parts = [];
    this.#held = 0;
    this.#stream = null;
    this.#rope = "";
  }
  #hold(c) {
    if (this.#skip) return;
    this.#held += c.length;
    if (this.#held > this.#max) {
      this.#forget();
      this.#skip = true;
      this.dropped++;
    } else if (this.#stream) {
      this.#rope += this.#stream.decode(c, { stream: true });
    } else {
      this.#parts.push(c.slice());
      if (this.#held <= this.#limit) return;
      this.#stream = new TextDecoder();
      for (const p of this.#parts) {
        this.#rope += this.#stream.decode(p, { stream: true });
      }
      this.#parts = [];
    }
  }
  /** The line that earlier chunks began, ended by `c`: a string if it was huge. */
  #finish(c) {
    let line;
    if (this.#stream) line = this.#rope + this.#stream.decode(c);
    else {
      line = new Uint8Array(this.#held + c.length);
      let at = 0;
      for (const p of this.#parts) {
        line.set(p, at);
        at += p.length;
      }
      line.set(c, at);
    }
    this.#forget();
    return line;
  }
  /** { head, body, bytes }: a line from earlier chunks, and lines of this chunk (a view). */
  cut(c) {
    const last = c.lastIndexOf(NL);
    if (last === -1) {
      this.#hold(c);
      return undefined;
    }
    let head, from = 0, bytes = last;
    if (this.#held || this.#skip) {
      const first = c.indexOf(NL);
      bytes += this.#held;
      if (this.#skip) this.#skip = false;
      else head = this.#finish(c.subarray(0, first));
      from = first + 1;
    }
    const body = from < last ? c.subarray(from, last) : undefined;
    if (last + 1 < c.length) this.#hold(c.subarray(last + 1));
    return { head, body, bytes };
  }
  parse({ head, body }) {
    const out = [];
    if (head !== undefined) {
      out.push(
        JSON.parse(typeof head === "string" ? head : this.d.decode(head)),
      );
    }
    if (body) this.lines(body, out);
    return out;
  }
  push(c) {
    const piece = this.cut(c);
    return piece ? this.parse(piece) : [];
  }
  lines(c, out) {
    const lines = this.d.decode(c).split("\n");
    for (let i = 0; i < lines.length; i++) out.push(JSON.parse(lines[i]));
  }
}

/** Hybrid with the rope from the first byte on. */
class Rope extends Hybrid {
  constructor(_limit, max) {
    super(0, max);
  }
}

/**
 * Hybrid, but one character beyond Latin-1 would turn the text of a whole
 * chunk into two-byte strings, which parse slower; so only pure ASCII chunks
 * are decoded whole, the others line by line.
 */
class Adaptive extends Hybrid {
  lines(c, out) {
    if (isAscii(c)) return super.lines(c, out);
    let from = 0;
    for (let i = c.indexOf(NL); i !== -1; i = c.indexOf(NL, from)) {
      out.push(JSON.parse(this.d.decode(c.subarray(from, i))));
      from = i + 1;
    }
    out.push(JSON.parse(this.d.decode(c.subarray(from))));
  }
}

export const framers = {
  bytes: Bytes,
  "split-parse": SplitParse,
  "bufline-parse": BufLine,
  "tdline-parse": TdLine,
  "cut-td": Cut,
  "cut-block": CutBlock,
  rope: Rope,
  hybrid: Hybrid,
  adaptive: Adaptive,
};

/** Whether a piece may hold a control frame or a result: cheap, without garbage, never wrongly false. */
export function mustParse({ head, body }) {
  if (
    typeof head === "string"
      ? !/^\{"type":"[^cr]/.test(head)
      : head && has(head)
  ) return true;
  return body ? has(body) : false;
}
const START = new TextEncoder().encode('{"type":"');
/** A line that does not begin with its type, or whose type begins with c (control_...) or r (result). */
function has(u8) {
  for (let from = 0;;) {
    for (let i = 0; i < START.length; i++) {
      if (u8[from + i] !== START[i]) return true;
    }
    const first = u8[from + START.length];
    if (first === 0x63 || first === 0x72) return true;
    const nl = u8.indexOf(NL, from);
    if (nl === -1) return false;
    from = nl + 1;
  }
}
