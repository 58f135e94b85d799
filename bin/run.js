// Runs a TypeScript file of this project, or says in one line why this Node.js can't.
import { pathToFileURL } from 'node:url';
import { requireNode } from './require-node.js';
import { installTestPackages } from './test-packages.js';

requireNode();
const [file = '', ...rest] = process.argv.slice(2);
// All others import packages of the tests, or what they run does.
if (!file.startsWith('src/')) installTestPackages();
process.argv.splice(1, process.argv.length, file, ...rest);
await import(pathToFileURL(file).href);
