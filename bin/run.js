// Runs a TypeScript file of this project, or says in one line why this Node.js can't.
import { pathToFileURL } from 'node:url';
import { requireNode } from './require-node.js';

requireNode();
const [file = '', ...rest] = process.argv.slice(2);
process.argv.splice(1, process.argv.length, file, ...rest);
await import(pathToFileURL(file).href);
