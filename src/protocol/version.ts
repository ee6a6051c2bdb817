// Made from protocol/ by `npm run generate`; edit that.
/** Version of the CLI that the protocol is described for. */
export const PROTOCOL_VERSION: string = "2.1.332";
