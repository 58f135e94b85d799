import { close, open, unlink, write } from 'node:fs';
import { limits } from '../../kernel/limits.ts';
import type { LoggedCall } from '../../kernel/ports/request-log.ts';

/** Told after each step on the disk: the error, or undefined. */
type Tell = (error: unknown) => void;

/**
 * One batch of calls in a file, until it is stored. It is written by other threads, since a busy disk may take its time,
 * and nobody waits for it: what can't be written is in memory still.
 */
export class JournalPage {
  readonly #path: string;
  readonly #tell: Tell;
  #gathered: LoggedCall[] = [];
  #fd: number | undefined;
  #state: 'idle' | 'planned' | 'busy' | 'broken' = 'idle';
  #timer: NodeJS.Timeout | undefined;
  #removed: PromiseWithResolvers<void> | undefined;

  constructor(path: string, tell: Tell) {
    this.#path = path;
    this.#tell = tell;
  }

  add(call: LoggedCall): void {
    if (this.#state === 'broken' || this.#removed !== undefined) return;
    this.#gathered.push(call);
    if (this.#state !== 'idle') return;
    this.#state = 'planned';
    // With the others that ended in this moment.
    process.nextTick(() => this.#pass());
  }

  /** Its calls are stored, or given up. Resolves when the file is gone. */
  remove(): Promise<void> {
    this.#gathered = [];
    if (this.#removed === undefined) {
      this.#removed = Promise.withResolvers();
      if (this.#state !== 'busy') this.#remove();
    }
    return this.#removed.promise;
  }

  #pass(): void {
    if (this.#removed !== undefined) return;
    this.#state = 'busy';
    if (this.#fd === undefined) this.#open();
    else this.#write(this.#fd);
  }

  #open(): void {
    open(this.#path, 'ax', 0o600, (error, fd) => {
      if (error !== null) this.#broken(error);
      else {
        this.#fd = fd;
        this.#write(fd);
      }
    });
  }

  #write(fd: number): void {
    const calls = this.#gathered;
    this.#gathered = [];
    const line = Buffer.from(`${JSON.stringify(calls)}\n`);
    write(fd, line, (error, bytes) => {
      if (error !== null) this.#broken(error);
      else if (bytes < line.length) this.#broken(new Error('the disk took half a line'));
      else this.#rest(calls.length);
    });
  }

  /** A call that comes alone is written at once, one that comes soon after others with those that follow. */
  #rest(calls: number): void {
    this.#tell(undefined);
    this.#state = 'planned';
    if (this.#removed !== undefined) this.#remove();
    else this.#timer = setTimeout(() => this.#goOn(), Math.min(calls, limits.journalRestMsMax)).unref();
  }

  #goOn(): void {
    if (this.#gathered.length > 0) this.#pass();
    else this.#state = 'idle';
  }

  #broken(error: Error): void {
    this.#tell(error);
    this.#state = 'broken';
    this.#gathered = [];
    if (this.#removed !== undefined) this.#remove();
  }

  /** A file that is gone already, or can't be removed, changes nothing: its calls are in the log once. */
  #remove(): void {
    clearTimeout(this.#timer);
    const done = () => this.#removed?.resolve();
    const removed = () => (this.#fd === undefined ? done() : close(this.#fd, done));
    unlink(this.#path, removed);
  }
}
