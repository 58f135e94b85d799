import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './child.ts';
import { listen } from './listen.ts';
import { usage } from './messages.ts';

const readyWaitMs = 20_000;
const pollMs = 50;

/** A loopback port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until a program that doesn't know of the benchmark answers there with 200. */
export async function answering(child: Child, url: string): Promise<void> {
  const deadlineMs = performance.now() + readyWaitMs;
  while (performance.now() < deadlineMs) {
    // Fails with the process's last words when it has ended, which a refused connection wouldn't tell.
    await child.ask({ kind: 'usage' }, usage);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await wait(pollMs);
  }
  throw new Error(`GET ${url} was not answered with 200 within ${readyWaitMs} ms`);
}
