// All tests that need nothing but their own module, in one process.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unitFiles } from '../scripts/test-files.ts';

for (const file of unitFiles()) await import(pathToFileURL(resolve(file)).href);
