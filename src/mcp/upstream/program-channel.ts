import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Channel, type ChannelEvents, closedError } from './channel-transport.ts';
import { limits } from './limits.ts';
import { LineReader } from './line-reader.ts';
import { failedError, quoted, unreachableError } from './server-errors.ts';

export interface ProgramParts {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to the variables that all programs get. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** A line that the program writes to its error output. */
  onErrorLine(line: string): void;
  /** Whether callers may see what a failed program wrote last. */
  readonly showsOutput: boolean;
}

/** Starts a program that speaks MCP over its standard input and output. */
export class ProgramStarter {
  readonly #parts: ProgramParts;
  readonly #now: () => number;
  #failures = 0;
  #mayStartAt = 0;
  #lastFailure = '';

  constructor(parts: ProgramParts, now: () => number = () => performance.now()) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Rejects for a while after a program that ended soon, so that it is not started in a loop. */
  async open(events: ChannelEvents): Promise<Channel> {
    const { server } = this.#parts;
    const leftMs = this.#mayStartAt - this.#now();
    if (leftMs > 0)
      throw unreachableError(server, `${this.#lastFailure}; it is started again in ${Math.ceil(leftMs)} ms`);
    const startedAt = this.#now();
    const program = new RunningProgram(this.#parts, await this.#parts.environment(), {
      onBytes: events.onBytes,
      onClose: (error) => {
        const ranWell = program.wasStopped || this.#now() - startedAt > limits.startedWellMs;
        this.#failures = ranWell ? 0 : this.#failures + 1;
        // The first start may have failed at a request that the next one does not make.
        const pauseMs =
          this.#failures < 2 ? 0 : limits.restartPauseMs * 2 ** Math.min(this.#failures - 2, 20);
        this.#mayStartAt = this.#now() + Math.min(pauseMs, limits.restartPauseMsMax);
        this.#lastFailure = program.end;
        events.onClose(error);
      },
    });
    await program.spawned;
    return program;
  }
}

class RunningProgram implements Channel {
  /** How it ended, for errors. */
  end = 'runs';
  wasStopped = false;
  readonly spawned: Promise<void>;
  readonly #server: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #lastErrorLine = '';

  constructor(parts: ProgramParts, environment: Readonly<Record<string, string>>, events: ChannelEvents) {
    const { server, command, args, showsOutput } = parts;
    this.#server = server;
    const [file, ...rest] = withDeathSignal([command, ...args]);
    // A group of its own, so that what it starts ends with it.
    this.#child = spawn(file ?? command, rest, {
      env: { ...commonEnvironment(), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { promise: spawned, resolve, reject } = Promise.withResolvers<void>();
    this.spawned = spawned;
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    const close = (how: string) => {
      if (this.end !== 'runs') return;
      const said = showsOutput && this.#lastErrorLine !== '' ? ` (${this.#lastErrorLine})` : '';
      this.end = `${how}${said}`;
      running.delete(this.#child);
      exited.resolve();
      events.onClose(closedError(server, this.end));
    };
    this.#child.once('spawn', () => {
      running.add(this.#child);
      resolve();
    });
    this.#child.once('error', (error) => {
      close(`can't be started (${String(Object(error).code ?? 'error')})`);
      reject(unreachableError(server, this.end, error));
    });
    this.#child.once('close', (code, signal) => close(`ended with ${signal ?? `code ${code}`}`));
    // A program that ended; `close` says so.
    this.#child.stdin.on('error', () => undefined);
    this.#readLines(events);
    this.#readErrors(parts);
  }

  async send(message: object): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writable) throw closedError(this.#server, this.end);
    if (stdin.writableLength > limits.messageBytesMax)
      throw failedError(this.#server, 'does not read what it is sent');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes its input, as the protocol demands; then sends SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    this.wasStopped = true;
    this.#child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#exitsWithin(limits.stopMs)) break;
      signalGroup(this.#child, signal);
    }
    // What it has started may live on.
    signalGroup(this.#child, 'SIGKILL');
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const inTime = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }

  #readLines({ onBytes }: ChannelEvents): void {
    const tooLong = () =>
      failedError(this.#server, `sent a line of more than ${limits.messageBytesMax} bytes`);
    const lines = new LineReader(limits.messageBytesMax, tooLong);
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const line of lines.push(chunk)) if (line.byteLength > 0) onBytes(line);
      } catch {
        this.end = 'sent a line that is too long';
        signalGroup(this.#child, 'SIGKILL');
      }
    });
  }

  #readErrors({ onErrorLine }: ProgramParts): void {
    let rest = '';
    let lines = 0;
    const minute = setInterval(() => (lines = 0), 60_000).unref();
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\n');
      rest = (parts.pop() ?? '').slice(0, limits.errorLineCharactersMax);
      for (const part of parts) {
        const line = part.trimEnd().slice(0, limits.errorLineCharactersMax);
        if (line === '') continue;
        this.#lastErrorLine = quoted(line);
        if (++lines <= limits.errorLinesPerMinute) onErrorLine(line);
      }
    });
    this.#child.stderr.once('close', () => clearInterval(minute));
  }
}

/** Programs that end with this process however it ends. */
const running = new Set<ChildProcessWithoutNullStreams>();
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

function signalGroup(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}

/** Programs get the variables that find files and texts, and none of the gateway's secrets. */
function commonEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    inherited.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PATHEXT', 'WINDIR', 'TEMP', 'TMP', 'USERPROFILE'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'HOMEDRIVE', 'HOMEPATH', 'USERNAME'],
] as const;

/** On Linux the kernel kills the program when the gateway is killed: nothing else would. */
function withDeathSignal(words: readonly string[]): readonly string[] {
  const setpriv = process.platform === 'linux' ? pathOf('setpriv') : undefined;
  return setpriv === undefined ? words : [setpriv, '--pdeathsig', 'KILL', '--', ...words];
}

function pathOf(program: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
