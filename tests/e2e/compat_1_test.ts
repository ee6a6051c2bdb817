import { testNames, testPrograms } from "./_compat_programs.ts";

testNames();
testPrograms(0);
