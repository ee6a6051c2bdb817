/** What this package says of itself to a server; a test compares it with the package. */
export const CLIENT_INFO = {
  name: "sluice",
  title: "Sluice",
  version: "0.1.0",
} as const;
