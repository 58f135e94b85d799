import { closeSync, write as writeByThread, writeSync } from 'node:fs';
import { limits } from '../kernel/limits.ts';
import { Backlog, type Piece } from './backlog.ts';
import type { Lines } from './log.ts';
import type { Outlet } from './outlet.ts';

/**
 * Writes lines to somewhere that may be slow, full or gone, and keeps nobody waiting: what waits is bounded, what nobody
 * takes is lost and counted, and what is written is whole lines.
 */
export class LineWriter implements Lines {
  #outlet: Outlet;
  readonly #pieceBytes: number;
  /** Lines are gathered: one write a call would cost more than the call's own work. */
  #gathered = '';
  #gatheredBytes = 0;
  readonly #backlog = new Backlog();
  #isUnderway = false;
  /** Outlets that were left, and are closed when nothing is on its way to them. */
  #left: Outlet[] = [];
  /** Until the timer has run nothing is tried: where the last try failed, the next would, too. */
  #isResting = false;
  #timer: NodeJS.Timeout | undefined;
  #passedAtMs = Number.NEGATIVE_INFINITY;
  #behindMs: number = limits.logReaderBehindMsMin;

  constructor(outlet: Outlet, pieceBytes: number) {
    this.#outlet = outlet;
    this.#pieceBytes = pieceBytes;
  }

  get lost(): number {
    return this.#backlog.lost;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#gatheredBytes + bytes > this.#pieceBytes) {
      this.#gather();
      this.#pass();
    }
    this.#gathered += line;
    this.#gatheredBytes += bytes;
    if (this.#timer === undefined) this.#plan();
  }

  /** Goes on elsewhere: a log file was moved away, and another is in its place. */
  moveTo(outlet: Outlet): void {
    this.#left.push(this.#outlet);
    this.#outlet = outlet;
    this.#closeLeft();
  }

  #closeLeft(): void {
    if (this.#isUnderway) return;
    for (const { fd } of this.#left.splice(0)) closeSync(fd);
  }

  /**
   * Writes everything now, at the end of the process: nothing else is left to do, so this waits for a reader that still
   * reads. It always comes back; what is left then is lost.
   */
  flush(): void {
    this.#gather();
    const startedAtMs = performance.now();
    let takenAtMs = startedAtMs;
    for (let piece = this.#backlog.first; piece !== undefined; piece = this.#backlog.first) {
      const bytes = this.#attempt(piece);
      const nowMs = performance.now();
      if (bytes > 0) takenAtMs = nowMs;
      else if (nowMs - takenAtMs > limits.logReaderStillMs) break;
      else pause(limits.logReaderBehindMsMin);
      if (nowMs - startedAtMs > limits.logLastLinesMs) break;
    }
    this.#backlog.loseAll();
  }

  /** A line that comes alone is written at once, one that comes soon after others with those that follow. */
  #plan(): void {
    const agoMs = performance.now() - this.#passedAtMs;
    this.#wakeAfter(agoMs < limits.logLinesGatheredMs ? limits.logLinesGatheredMs : 0);
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer);
    const wake = () => {
      this.#timer = undefined;
      this.#isResting = false;
      this.#pass();
    };
    this.#timer = setTimeout(wake, ms).unref();
  }

  #rest(ms: number): void {
    this.#isResting = true;
    this.#wakeAfter(ms);
  }

  #gather(): void {
    if (this.#gathered === '') return;
    this.#backlog.add(this.#gathered);
    this.#gathered = '';
    this.#gatheredBytes = 0;
  }

  #pass(): void {
    if (this.#isUnderway || this.#isResting) return;
    this.#passedAtMs = performance.now();
    if (this.#outlet.isPrompt) this.#passNow();
    else this.#passByThread();
  }

  #next(): Piece | undefined {
    if (this.#backlog.first === undefined) this.#gather();
    return this.#backlog.first;
  }

  #passNow(): void {
    let bytes = 0;
    for (let piece = this.#next(); piece !== undefined && !this.#isResting; piece = this.#next()) {
      bytes += this.#attempt(piece);
      if (bytes > limits.logBytesAtOnce) this.#rest(0);
    }
  }

  /** How much was taken of the first piece that waits. */
  #attempt({ bytes, from }: Piece): number {
    try {
      this.#outlet.keepPrompt?.();
      const taken = writeSync(this.#outlet.fd, bytes, from);
      this.#taken(taken);
      return taken;
    } catch (cause) {
      this.#failed(cause);
      return 0;
    }
  }

  /** A busy disk may take its time: so it keeps a thread waiting that nobody needs. */
  #passByThread(): void {
    const piece = this.#next();
    if (piece === undefined) return;
    // Or the end of the process would write it a second time.
    this.#backlog.lendFirst();
    this.#isUnderway = true;
    writeByThread(this.#outlet.fd, piece.bytes, piece.from, (cause, bytes) => {
      this.#isUnderway = false;
      this.#closeLeft();
      this.#backlog.giveBack(piece);
      if (cause === null) this.#taken(bytes);
      else this.#failed(cause);
      // What was gathered meanwhile has its own time, or there would be a write a line.
      if (this.#backlog.first !== undefined) this.#pass();
      else if (this.#gathered !== '' && this.#timer === undefined) this.#plan();
    });
  }

  #taken(bytes: number): void {
    this.#backlog.taken(bytes);
    if (bytes === 0) this.#behind();
    else this.#behindMs = limits.logReaderBehindMsMin;
  }

  #failed(cause: unknown): void {
    if (isBehind(cause)) {
      this.#behind();
      return;
    }
    this.#backlog.lose();
    this.#rest(limits.logOutputBrokenMs);
  }

  #behind(): void {
    this.#rest(this.#behindMs);
    this.#behindMs = Math.min(2 * this.#behindMs, limits.logReaderBehindMsMax);
  }
}

/** Whether an output can take nothing just now, as opposed to one that is full, broken or gone. */
function isBehind(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread. */
function pause(ms: number): void {
  Atomics.wait(nobody, 0, 0, ms);
}
