import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import type { SentBatch, SinkTarget } from './log-sink.ts';

export interface LogFolderSettings {
  readonly folder: string;
  /** A file is closed when it has this size or age. */
  readonly fileBytesMax: number;
  readonly fileMsMax: number;
  /** Closed files that are kept. */
  readonly filesMax: number;
}

interface OpenFile {
  readonly name: string;
  readonly openedAtMs: number;
  bytes: number;
}

/** Writes calls to files in a folder. Each process has a file of its own; closed files are compressed, and the oldest deleted. */
export class LogFolder implements SinkTarget {
  readonly name = 'the log folder';
  readonly isLocal = true;
  readonly flushMs = limits.logFolderFlushMs;
  readonly callsAtOnce = limits.logFolderCallsAtOnce;
  readonly #settings: LogFolderSettings;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #process = randomUUID().slice(0, 8);
  #file: OpenFile | undefined;
  #filesOpened = 0;

  constructor(settings: LogFolderSettings, clock: Clock, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#onError = onError;
  }

  async send({ text }: SentBatch): Promise<void> {
    const lines = Buffer.from(text);
    if (this.#file !== undefined && this.#isFull(this.#file, lines.length)) this.#file = undefined;
    if (this.#file === undefined) {
      this.#file = await this.#open();
      // Failures must not keep new calls from the disk.
      await this.#tidy().catch(this.#onError);
    }
    const file = this.#file;
    // A repeated attempt overwrites what a failed one left, such as half a line on a full disk.
    const handle = await open(join(this.#settings.folder, file.name), 'r+');
    try {
      let written = 0;
      while (written < lines.length)
        written += (await handle.write(lines, written, lines.length - written, file.bytes + written))
          .bytesWritten;
    } finally {
      await handle.close();
    }
    file.bytes += lines.length;
  }

  #isFull({ bytes, openedAtMs }: OpenFile, added: number): boolean {
    const { fileBytesMax, fileMsMax } = this.#settings;
    return bytes + added > fileBytesMax || this.#clock.now() - openedAtMs >= fileMsMax;
  }

  async #open(): Promise<OpenFile> {
    const { folder } = this.#settings;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const openedAtMs = this.#clock.now();
    const time = new Date(openedAtMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
    const name = `requests-${time}Z-${this.#process}-${this.#filesOpened++}.jsonl`;
    await (await open(join(folder, name), 'wx', 0o600)).close();
    return { name, openedAtMs, bytes: 0 };
  }

  /** Compresses the files that nobody writes to, also those of processes that have ended, and deletes the oldest. */
  async #tidy(): Promise<void> {
    const { folder, filesMax } = this.#settings;
    const names = (await readdir(folder)).filter((name) => fileName.test(name)).toSorted();
    const closed = names.filter((name) => name !== this.#file?.name && this.#isClosed(name));
    for (const name of closed.slice(0, Math.max(0, closed.length - filesMax)))
      await unlink(join(folder, name)).catch(ignoreMissing);
    for (const name of closed.slice(-filesMax))
      if (name.endsWith('.jsonl')) await compress(join(folder, name));
  }

  /** A process writes to no file that is older than the maximum age. */
  #isClosed(name: string): boolean {
    const [, date = '', time = '', process] = fileName.exec(name) ?? [];
    if (process === this.#process || name.endsWith('.gz')) return true;
    const openedAtMs = Date.parse(
      `${date.replace(/(....)(..)/, '$1-$2-')}T${time.replace(/(..)(..)/, '$1:$2:')}Z`,
    );
    return this.#clock.now() - openedAtMs > this.#settings.fileMsMax + limits.logFolderLastWriteMs;
  }
}

/** `requests-20261118T160000Z-0f3a9c21-0.jsonl`, with `.gz` once it is compressed. */
const fileName = /^requests-(\d{8})T(\d{6})Z-([0-9a-f]{8})-\d+\.jsonl(?:\.gz)?$/;

/** Several processes may try to: the one that creates the temporary file goes on. */
async function compress(path: string): Promise<void> {
  const temporary = `${path}.gz.new`;
  try {
    const { mtimeMs } = await stat(temporary);
    // Left behind by a killed process.
    if (Date.now() - mtimeMs > limits.logFolderLastWriteMs) await unlink(temporary);
  } catch (error) {
    ignoreMissing(error);
  }
  try {
    const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
    await pipeline(createReadStream(path), createGzip(), output);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return;
    await unlink(temporary).catch(ignoreMissing);
    return ignoreMissing(error);
  }
  await rename(temporary, `${path}.gz`);
  await unlink(path).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!isCode(error, 'ENOENT')) throw error;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
