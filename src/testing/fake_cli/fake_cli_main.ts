// The program that fakeCli() starts: `fake_cli_main FOLDER [flags of the CLI]`, nothing else is loaded.
import { program } from "../../runtime/program.ts";
import { playScript } from "./play.ts";
import { STEPS } from "./steps.ts";

// Only exit() ends it, even when nothing else keeps the program alive.
setInterval(() => {}, 60_000);
await playScript(program(), STEPS);
