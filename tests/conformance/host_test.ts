import { host } from "../../src/runtime/host.ts";
import { needsProc, needsShell } from "../_children.ts";
import { hostSuite } from "./host_suite.ts";

const current = await host();

hostSuite(current.name, current, {
  noShell: needsShell,
  noProcessTable: needsProc,
});
