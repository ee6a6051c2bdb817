// Made from protocol/ by `deno task protocol`; edit that.
/** Version of the CLI that the protocol is described for. */
export const PROTOCOL_VERSION: string = "2.1.330";
