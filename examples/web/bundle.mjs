// Makes use_chat.js: the page with its packages, as one script.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
await build({
  entryPoints: [pathOf("use_chat.mjs")],
  outfile: pathOf("use_chat.js"),
  bundle: true,
  minify: true,
  format: "esm",
  define: { "process.env.NODE_ENV": '"production"' },
});
