/** Version of this package; a test compares it with its manifest. */
export const VERSION = "0.1.0";
