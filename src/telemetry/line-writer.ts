import { closeSync, write as writeByThread, writeSync } from 'node:fs';
import { limits } from './limits.ts';
import { LineBacklog, type LineChunk } from './line-backlog.ts';
import type { LineSink } from './log.ts';
import type { OutputDescriptor } from './output-descriptor.ts';

/**
 * Writes lines to an output that may be slow, full or closed, without blocking: the backlog is bounded, lost lines are
 * counted, and only whole lines are written.
 */
export class LineWriter implements LineSink {
  #output: OutputDescriptor;
  readonly #chunkBytesMax: number;
  /** Buffers lines, because one write per call would cost more than the call's own work. */
  #buffered = '';
  #bufferedBytes = 0;
  readonly #backlog = new LineBacklog();
  #isWriting = false;
  /** Replaced outputs, to close when no write is pending. */
  #replacedOutputs: OutputDescriptor[] = [];
  /** No writes until the timer fires: after a failed write, the next would fail, too. */
  #isBackingOff = false;
  #timer: NodeJS.Timeout | undefined;
  #lastWriteAtMs = Number.NEGATIVE_INFINITY;
  #backoffMs: number = limits.logReaderBehindMsMin;

  constructor(outputDescriptor: OutputDescriptor, pieceBytes: number) {
    this.#output = outputDescriptor;
    this.#chunkBytesMax = pieceBytes;
  }

  get lost(): number {
    return this.#backlog.lost;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bufferedBytes + bytes > this.#chunkBytesMax) {
      this.#queueBuffered();
      this.#writeQueued();
    }
    this.#buffered += line;
    this.#bufferedBytes += bytes;
    if (this.#timer === undefined) this.#scheduleWrite();
  }

  /** Switches to another output, after the log file was rotated. */
  switchTo(outputDescriptor: OutputDescriptor): void {
    this.#replacedOutputs.push(this.#output);
    this.#output = outputDescriptor;
    this.#closeReplaced();
  }

  #closeReplaced(): void {
    if (this.#isWriting) return;
    for (const { fd } of this.#replacedOutputs.splice(0)) closeSync(fd);
  }

  /**
   * Writes everything synchronously, at the end of the process. It waits for a reader that still reads, for a bounded
   * time; the rest is lost.
   */
  flush(): void {
    this.#queueBuffered();
    const startedAtMs = performance.now();
    let takenAtMs = startedAtMs;
    for (let lineChunk = this.#backlog.first; lineChunk !== undefined; lineChunk = this.#backlog.first) {
      const bytes = this.#writeChunk(lineChunk);
      const nowMs = performance.now();
      if (bytes > 0) takenAtMs = nowMs;
      else if (nowMs - takenAtMs > limits.logReaderStillMs) break;
      else sleepSync(limits.logReaderBehindMsMin);
      if (nowMs - startedAtMs > limits.logLastLinesMs) break;
    }
    this.#backlog.dropAll();
  }

  /** Writes a single line at once, but batches lines that follow each other closely. */
  #scheduleWrite(): void {
    const agoMs = performance.now() - this.#lastWriteAtMs;
    this.#wakeAfter(agoMs < limits.logLinesBatchMs ? limits.logLinesBatchMs : 0);
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer);
    const wake = () => {
      this.#timer = undefined;
      this.#isBackingOff = false;
      this.#writeQueued();
    };
    this.#timer = setTimeout(wake, ms).unref();
  }

  #backOff(ms: number): void {
    this.#isBackingOff = true;
    this.#wakeAfter(ms);
  }

  #queueBuffered(): void {
    if (this.#buffered === '') return;
    this.#backlog.add(this.#buffered);
    this.#buffered = '';
    this.#bufferedBytes = 0;
  }

  #writeQueued(): void {
    if (this.#isWriting || this.#isBackingOff) return;
    this.#lastWriteAtMs = performance.now();
    if (this.#output.isNonBlocking) this.#writeSynchronously();
    else this.#writeOnThreadPool();
  }

  #nextChunk(): LineChunk | undefined {
    if (this.#backlog.first === undefined) this.#queueBuffered();
    return this.#backlog.first;
  }

  #writeSynchronously(): void {
    let bytes = 0;
    for (
      let lineChunk = this.#nextChunk();
      lineChunk !== undefined && !this.#isBackingOff;
      lineChunk = this.#nextChunk()
    ) {
      bytes += this.#writeChunk(lineChunk);
      if (bytes > limits.logBytesAtOnce) this.#backOff(0);
    }
  }

  /** Returns the number of bytes written. */
  #writeChunk({ bytes, offset }: LineChunk): number {
    try {
      this.#output.ensureNonBlocking?.();
      const taken = writeSync(this.#output.fd, bytes, offset);
      this.#onWritten(taken);
      return taken;
    } catch (cause) {
      this.#onWriteError(cause);
      return 0;
    }
  }

  /** A busy disk may block, so the thread pool does the write. */
  #writeOnThreadPool(): void {
    const lineChunk = this.#nextChunk();
    if (lineChunk === undefined) return;
    // Otherwise `flush` at the end of the process would write it a second time.
    this.#backlog.lendFirst();
    this.#isWriting = true;
    writeByThread(this.#output.fd, lineChunk.bytes, lineChunk.offset, (cause, bytes) => {
      this.#isWriting = false;
      this.#closeReplaced();
      this.#backlog.returnFirst(lineChunk);
      if (cause === null) this.#onWritten(bytes);
      else this.#onWriteError(cause);
      // Lines buffered meanwhile wait for their own timer; otherwise there would be a write per line.
      if (this.#backlog.first !== undefined) this.#writeQueued();
      else if (this.#buffered !== '' && this.#timer === undefined) this.#scheduleWrite();
    });
  }

  #onWritten(bytes: number): void {
    this.#backlog.markWritten(bytes);
    if (bytes === 0) this.#onReaderBehind();
    else this.#backoffMs = limits.logReaderBehindMsMin;
  }

  #onWriteError(cause: unknown): void {
    if (isWouldBlockError(cause)) {
      this.#onReaderBehind();
      return;
    }
    this.#backlog.dropExceptPartialLine();
    this.#backOff(limits.logOutputBrokenMs);
  }

  #onReaderBehind(): void {
    this.#backOff(this.#backoffMs);
    this.#backoffMs = Math.min(2 * this.#backoffMs, limits.logReaderBehindMsMax);
  }
}

/** Whether the output is only temporarily blocked, not full, broken or closed. */
function isWouldBlockError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
}

const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. */
function sleepSync(ms: number): void {
  Atomics.wait(sleepCell, 0, 0, ms);
}
