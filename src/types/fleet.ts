/** How a program shows a NATS server who it is. */
export type FleetCredentials =
  | {
    /** Name of the user. */
    readonly user: string;
    /** Its password. */
    readonly password: string;
  }
  | {
    /** A token. */
    readonly token: string;
  }
  | {
    /** Path of a `.creds` file. */
    readonly credsFile: string;
  };

/** TLS of the connection; an address `tls://...` alone asks for it as well. */
export interface FleetTls {
  /** Path of the certificates that are trusted; those of the system. */
  readonly caFile?: string;
  /** Path of this program's own certificate. */
  readonly certFile?: string;
  /** Path of its key. */
  readonly keyFile?: string;
}

/** Where a fleet lives, and by which rules. */
export interface FleetOptions {
  /** Addresses of the NATS servers: `nats://host:4222`, or several. */
  readonly servers: string | readonly string[];
  /** Name of the fleet: letters, digits, `-` and `_`, at most 64; fleets of different names share nothing. */
  readonly name: string;
  /** Who this program is; nobody. */
  readonly credentials?: FleetCredentials | undefined;
  /** TLS. */
  readonly tls?: FleetTls | undefined;
  /** Key that prompts, options, messages, results and transcripts are sealed with before they leave this program: 32 bytes, as base64; unset = the server can read them. All programs of the fleet need the same. */
  readonly key?: string | undefined;
  /** How many servers keep each thing, when the streams are made; 1. */
  readonly replicas?: number | undefined;
  /** How long a worker may be silent before others take over, in milliseconds, the same in all programs of a fleet; 30,000. */
  readonly leaseMs?: number | undefined;
  /** How long a call waits for a server that cannot be reached, in milliseconds; 120,000. */
  readonly patienceMs?: number | undefined;
}
