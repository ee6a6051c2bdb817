import { testPrograms } from "./_compat_programs.ts";

testPrograms(2);
