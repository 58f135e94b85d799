/** Ends the process with one clear line where Node.js is too old to run TypeScript and `node:sqlite`. */
export function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= 24) return;
  console.error(
    `weir needs Node.js 24 or newer and this is ${process.versions.node}: run "npm ci" (it brings its own), or install a newer Node.js`,
  );
  process.exit(1);
}
