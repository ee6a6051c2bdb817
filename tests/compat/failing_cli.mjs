// A CLI that fails at once, with the exit code of EXIT_WITH; it reads nothing.
import process from "node:process";

process.stderr.write("out of luck\n");
process.exitCode = Number(process.env.EXIT_WITH);
