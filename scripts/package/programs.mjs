// JavaScript, because Node 20 reads it for its lane of the tests; scripts/project.ts says what it lists.
export const PROGRAMS = ["src/testing/fake_cli/fake_cli_main.ts"];
