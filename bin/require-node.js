/** Whether this Node.js has `node:sqlite` and runs TypeScript. */
export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= 24;
}

/** Ends the process with one clear line where Node.js is too old. */
export function requireNode() {
  if (isNewEnough()) return;
  console.error(
    `weir needs Node.js 24 or newer and this is ${process.versions.node}: run "npm ci" (it brings its own), or install a newer Node.js`,
  );
  process.exit(1);
}
