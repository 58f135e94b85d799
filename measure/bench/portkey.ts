import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChild } from './child.ts';
import { answering, freePort } from './ports.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { Gateway } from './weir.ts';

/** The one that the published figures are of. */
export const portkeyVersion = '1.15.2';
const packageName = '@portkey-ai/gateway';
/** Newer ones make its streams fail, https://github.com/Portkey-AI/gateway/issues/1389; unstreamed calls cost the same with both. */
const overrides = { '@hono/node-server': '1.14.1' };
const installWaitMs = 120_000;

/** Installs Portkey's gateway from npm into a temporary folder; throws where that can't be done. */
export async function installPortkey(version: string): Promise<string> {
  const folder = temporaryFolder('weir-bench-portkey-');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  // Its scripts would only patch development tools and set up hooks.
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await npm(['install', ...quietly, `${packageName}@${version}`], folder);
  return join(folder, 'node_modules', packageName);
}

/**
 * Starts it as for production: without its page for looking at calls and without the log behind that page, both of which
 * would make it slower. Where calls go is told by headers.
 */
export async function startPortkey(folder: string): Promise<Gateway> {
  const port = await freePort();
  const loopback = pathToFileURL(join(import.meta.dirname, 'loopback.ts')).href;
  const child = startChild({
    file: join(folder, 'build', 'start-server.js'),
    args: [`--port=${port}`, '--headless'],
    nodeOptions: ['--import', loopback],
    environment: { NODE_ENV: 'production' },
  });
  const origin = `http://127.0.0.1:${port}`;
  await answering(child, `${origin}/`);
  return { child, origin, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

function npm(args: readonly string[], folder: string): Promise<void> {
  // Set where npm runs this: its own script, which needs no shell on any platform.
  const script = process.env.npm_execpath;
  const [command, first] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  const signal = AbortSignal.timeout(installWaitMs);
  const child = spawn(command, [...first, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const stop = (): void => void child.kill();
  process.once('exit', stop);
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-1000);
  });
  return new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(lastWords.trim()))));
  }).finally(() => process.off('exit', stop));
}
