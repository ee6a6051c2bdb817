/** What `npm test -- --quick` leaves out: paths under tests/, and why. */
export const QUICK_LEAVES_OUT: Readonly<Record<string, string>> = {
  "tests/e2e/": "the real CLI",
};
