import { existsSync } from 'node:fs';
import { ownRuntime } from './own-runtime.js';

/** Whether this Node.js has `node:sqlite` and runs TypeScript. */
export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= 24;
}

/** Ends the process with one clear line where Node.js is too old. */
export function requireNode() {
  if (isNewEnough()) return;
  console.error(`weir ${tooOld()}`);
  process.exit(1);
}

/** What is wrong, and what to do in a clone and in an installed package. */
export function tooOld() {
  const isClone = existsSync(new URL('../src', import.meta.url));
  const installOne = isClone
    ? 'run "npm ci", which brings one'
    : 'install weir-gateway with its optional dependencies, which bring one';
  const advice =
    ownRuntime() === undefined ? installOne : 'start with "npx node", which npm installed with it';
  return `needs Node.js 24 or newer and this is ${process.versions.node}: ${advice}, or install a newer Node.js`;
}
