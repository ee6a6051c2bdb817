// deno-lint-ignore-file explicit-module-boundary-types -- JavaScript, because Node 20 runs it
/** A reporter of `node --test` that says which file begins: none of its own does. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === "test:dequeue" && data.nesting === 0) {
      yield `begins ${data.name}\n`;
    }
  }
}
