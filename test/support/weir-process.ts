import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Environment } from '../../src/gateway/settings.ts';

const run = promisify(execFile);
const ownBin = join(import.meta.dirname, '..', '..', 'bin', 'weir.js');

interface Start {
  /** What follows `weir`; `serve` unless said otherwise. */
  readonly args?: readonly string[];
  /** All that it sees of the environment, besides PATH and a free port. */
  readonly environment?: Environment;
  /** Where it runs; a folder with an empty database unless said otherwise. */
  readonly folder?: string;
  /** The program: that of this project unless said otherwise. */
  readonly bin?: string;
  /** In place of all that: a program with its arguments, which may start others; signals reach all of them. */
  readonly command?: readonly [string, ...string[]];
  /** What runs it: this Node.js unless said otherwise. */
  readonly node?: string;
  readonly nodeArgs?: readonly string[];
  /** Where its standard output goes, instead of here. */
  readonly output?: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The gateway as users run it: a process of its own, which ends with its test. */
export class WeirProcess {
  stdout = '';
  stderr = '';
  /** Resolves when the process is over and has said all it had to say. */
  readonly exited: Promise<Exit>;
  /** The address in the line of the start; rejects when the process ends without it. */
  readonly listening: Promise<string>;
  readonly #child: ChildProcess;
  readonly #hasGroup: boolean;

  constructor(t: TestContext, start: Start = {}) {
    const {
      args = ['serve'],
      environment,
      folder,
      bin = ownBin,
      node,
      nodeArgs = [],
      output = 'pipe',
    } = start;
    const byNode = [node ?? process.execPath, ...nodeArgs, bin, ...args] as const;
    const [program, ...following] = start.command ?? byNode;
    this.#child = spawn(program, following, {
      cwd: folder ?? folderWithDatabase(t),
      env: { PATH: process.env.PATH, PORT: '0', WEIR_HTTP: process.env.WEIR_HTTP, ...environment },
      stdio: ['ignore', output, 'pipe'],
      detached: start.command !== undefined,
    });
    this.#hasGroup = start.command !== undefined;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.listening = promise;
    promise.catch(() => undefined);
    this.#child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      this.stdout += piece;
      const [, url] = /"url":"(http[^"]+)".*"msg":"Weir is listening"/.exec(this.stdout) ?? [];
      if (url !== undefined) resolve(url);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      this.stderr += piece;
    });
    this.exited = new Promise((over) => {
      this.#child.on('close', (code, signal) => {
        reject(new Error(`weir ended with ${code ?? signal}: ${this.stderr}`));
        over({ code, signal });
      });
    });
    t.after(async () => {
      this.signal('SIGKILL');
      await this.exited;
    });
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#child;
    if (!this.#hasGroup || pid === undefined) this.#child.kill(name);
    else
      try {
        process.kill(-pid, name);
      } catch {
        // All of them are over already.
      }
  }

  /** Leaves what it prints from now on unread. */
  stopReading(): void {
    this.#child.stdout?.pause();
  }

  /** Ends it and the processes that it has started, all in the same moment. */
  async killAll(): Promise<void> {
    const workers = await this.workers();
    this.#child.kill('SIGKILL');
    for (const id of workers)
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It is over already.
      }
    await this.exited;
  }

  /** The ids of the processes that it has started. */
  async workers(): Promise<readonly number[]> {
    const { pid } = this.#child;
    const onLinux = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => undefined);
    const ids = onLinux ?? (await run('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }))).stdout;
    return ids.split(/\s/).filter(Boolean).map(Number);
  }
}

/** A start that doesn't have to create the tables takes a sixth less CPU time. */
function folderWithDatabase(t: TestContext): string {
  const folder = emptyFolder(t);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { TEST_SQLITE_FILE: template } = process.env;
  if (template !== undefined) copyFileSync(template, join(data, 'weir.db'));
  return folder;
}

export function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-process-'));
  // Hooks run in the order in which they are made: a process may still be writing here.
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}
