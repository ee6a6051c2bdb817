import assert from "node:assert/strict";
import { isUtf8Locale } from "../../src/runtime/locale.ts";
import { test } from "../_harness.ts";

test("Only a locale that names UTF-8 draws more than ASCII, LC_ALL before LC_CTYPE before LANG", () => {
  const cases: readonly [Record<string, string>, boolean][] = [
    [{}, false],
    [{ LANG: "" }, false],
    [{ LANG: "C" }, false],
    [{ LANG: "POSIX" }, false],
    [{ LANG: "en_US" }, false],
    [{ LANG: "de_DE.ISO-8859-1" }, false],
    [{ LANG: "C.UTF-8" }, true],
    [{ LANG: "en_US.utf8@euro" }, true],
    [{ LC_CTYPE: "UTF-8", LANG: "C" }, true],
    [{ LC_ALL: "", LC_CTYPE: "", LANG: "C.utf-8" }, true],
    [{ LC_ALL: "C", LC_CTYPE: "C.UTF-8", LANG: "C.UTF-8" }, false],
    [{ LC_MESSAGES: "C.UTF-8" }, false],
  ];
  for (const [variables, isUtf8] of cases) {
    assert.equal(isUtf8Locale(variables, "linux"), isUtf8);
    assert.equal(isUtf8Locale(variables, "darwin"), isUtf8);
    assert.equal(isUtf8Locale(variables, "win32"), true);
  }
});
