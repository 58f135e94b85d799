import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Servers start in a second or two; this is for a very busy machine. */
const startMsMax = 30_000;

/** Ends the server and removes its folder when our end of the pipe closes, so also when this process is killed. */
const keeper = `exec 3<&0
"$@" </dev/null 3<&- >"$LOG" 2>&1 &
server=$!
{ cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null &
wait $server
rm -rf "$FOLDER"`;

export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's own; goes with it. */
  readonly folder: string;
  /** Whom to run as, where not as the user who runs the tests. */
  readonly user?: SystemUser | undefined;
  /** Resolves where the server answers, rejects where it doesn't yet. */
  readonly answers: () => Promise<void>;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Resolves when the server answers, to what ends it. */
export async function startServer(server: ServerStart): Promise<() => Promise<void>> {
  const log = join(server.folder, 'server.log');
  const child = spawn('sh', ['-c', keeper, 'sh', server.command, ...server.args], {
    ...server.user,
    cwd: server.folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C', LOG: log, FOLDER: server.folder },
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const stop = async () => {
    child.stdin?.end();
    if (!isOver(child)) await once(child, 'exit');
    rmSync(server.folder, { recursive: true, force: true });
  };
  const until = performance.now() + startMsMax;
  for (;;) {
    const refusal = await server.answers().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) return stop;
    if (isOver(child) || performance.now() > until) {
      const said = logged(log);
      await stop();
      throw new Error(`${server.command} did not start: ${said}`, { cause: refusal });
    }
    await sleep(20);
  }
}

/** A port that is free just now, and that nobody gets who asks for any: those that are given out begin above 30,000. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('no port is free');
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function logged(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'it left no log';
  }
}
