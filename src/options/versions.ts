/** The CLI that everything was tried with; tests and demo install it. */
export const TESTED_VERSION = "2.1.330";
