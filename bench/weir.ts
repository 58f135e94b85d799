import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Child, startChild } from './child.ts';
import { listen } from './listen.ts';
import { usage } from './messages.ts';

const readyWaitMs = 20_000;
const pollMs = 50;

export interface Gateway extends AsyncDisposable {
  readonly child: Child;
  readonly origin: string;
}

/** The gateway as its user starts it, in local mode and without modules, in front of this upstream. */
export async function startWeir(upstream: string, nodeOptions: readonly string[] = []): Promise<Gateway> {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  const child = startChild({
    file: join(import.meta.dirname, '..', 'bin', 'weir.js'),
    args: ['serve'],
    nodeOptions,
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      WEIR_DATA_DIR: dataDir,
      WEIR_PIPELINE: 'none',
      WEIR_OPENAI_BASE_URL: `${upstream}/v1`,
      WEIR_ANTHROPIC_BASE_URL: upstream,
      OPENAI_API_KEY: 'sk-bench',
      ANTHROPIC_API_KEY: 'sk-ant-bench',
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  await healthy(child, origin);
  return { child, origin, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

async function healthy(child: Child, origin: string): Promise<void> {
  const deadlineMs = performance.now() + readyWaitMs;
  while (performance.now() < deadlineMs) {
    // Fails with the process's last words when it has ended, which a refused connection wouldn't tell.
    await child.ask({ kind: 'usage' }, usage);
    const answer = await fetch(`${origin}/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    await wait(pollMs);
  }
  throw new Error(`weir did not answer GET /health with 200 within ${readyWaitMs} ms`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
