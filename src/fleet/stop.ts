/** Why an attempt has to stop before its end. */
export type StopKind =
  /** A later attempt has the job. */
  | "fenced"
  /** Somebody cancelled the job. */
  | "cancelled"
  /** Its time is up. */
  | "deadline"
  /** The worker goes, and gives the job back. */
  | "released";

/** Stops an attempt; the reason of its signal. */
export class Stop extends Error {
  override readonly name = "Stop";
  readonly kind: StopKind;

  constructor(kind: StopKind, text: string = kind) {
    super(text);
    this.kind = kind;
  }
}
