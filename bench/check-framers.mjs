// deno-lint-ignore-file no-console -- prints its results
// Every framer must give the same messages for any cut of the same bytes.
import process from "node:process";
import { execFileSync } from "node:child_process";
import { FAKE } from "./lib/common.mjs";
import { framers } from "./lib/framers.mjs";

const bytes = execFileSync(FAKE, ["-p", "hi"], {
  env: { FAKECLI: "mode=stream,n=300,size=1500,kind=mix,utf8=30,spread=50" },
  maxBuffer: 1 << 28,
});
const want = JSON.stringify(
  bytes.toString().trim().split("\n").map((l) => JSON.parse(l)),
);
let bad = 0;
for (const [name, Framer] of Object.entries(framers)) {
  if (name === "bytes") continue;
  for (const size of [1, 7, 100, 1499, 4096, 65536, 1 << 30]) {
    const f = new Framer(), got = [];
    for (let i = 0; i < bytes.length; i += size) {
      got.push(...f.push(new Uint8Array(bytes.subarray(i, i + size))));
    }
    if (JSON.stringify(got) !== want) {
      bad++;
      console.log("differs", name, size, got.length);
    }
  }
}
console.log(bad ? `${bad} differ` : "all framers agree");
process.exit(bad ? 1 : 0);
