import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { ready } from './messages.ts';

/** A process of the benchmark. It also ends by itself when this process is gone, whatever the reason. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  ask<Reply>(question: object, reply: z.ZodType<Reply>): Promise<Reply>;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

/** Slow streams are held for a minute or less; longer than this without a word is a hang. */
const replyWaitMs = 120_000;
const endWaitMs = 3000;
const lastWordsMax = 4000;
const compileCache = join(tmpdir(), 'node-compile-cache');

export function startChild({ file, args, environment = {}, nodeOptions = [] }: Launch): Child {
  const probe = pathToFileURL(join(import.meta.dirname, 'probe.ts')).href;
  const child = fork(file, args, {
    execArgv: [...nodeOptions, '--import', probe],
    // Not the whole environment: keys and settings of the person who runs this would change what is measured.
    // With the cache that the gateway starts with, or stripping the types of the probe would be counted as its memory.
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsMax);
  });
  const closed = once(child, 'close');
  return {
    pid: child.pid ?? Number.NaN,
    ask(question, reply) {
      const death = closed.then(() => Promise.reject(new Error(`${file} ended early\n${lastWords}`)));
      const received = receive(child, reply);
      // A channel that is closed already is told by the death, with the reason.
      child.send(question, () => {});
      return Promise.race([received, death]);
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Starts a server of ours, which tells its port when it listens. */
export async function startServer(launch: Launch): Promise<{ readonly child: Child; readonly port: number }> {
  const child = startChild(launch);
  const { port } = await child.ask({ kind: 'hello' }, ready);
  return { child, port };
}

function receive<Reply>(child: ChildProcess, reply: z.ZodType<Reply>): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const listen = (message: unknown): void => {
    const read = reply.safeParse(message);
    if (read.success) resolve(read.data);
  };
  const timer = setTimeout(() => reject(new Error(`no reply within ${replyWaitMs} ms`)), replyWaitMs);
  child.on('message', listen);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('message', listen);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), endWaitMs);
  await ended;
  clearTimeout(timer);
}
