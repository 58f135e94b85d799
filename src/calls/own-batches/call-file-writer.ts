import { GatewayError } from '../../kernel/errors.ts';
import type { CallFile, CallFiles, SealedLine } from '../../kernel/ports/own-batches.ts';
import { LineSplitter } from '../batches/line-splitter.ts';
import { limits } from '../limits.ts';
import { CallLineChecker } from './call-lines.ts';
import { type Sealing, sealLine } from './line-sealing.ts';

interface CallFileWriterParts {
  readonly files: CallFiles;
  readonly sealing: Sealing;
  hasPath(path: string): boolean;
  /** How many bytes the file may have. */
  readonly bytesMax: number;
}

/** Stores a file of calls while it is uploaded, line by line. */
export class CallFileWriter {
  readonly #parts: CallFileWriterParts;
  readonly #file: Pick<CallFile, 'id' | 'accountId' | 'madeAtMs'>;
  readonly #checker: CallLineChecker;
  readonly #splitter = new LineSplitter((line) => this.#add(line));
  #waiting: SealedLine[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  /** The bytes as they were uploaded. */
  #uploadedBytes = 0;

  constructor(file: Pick<CallFile, 'id' | 'accountId' | 'madeAtMs'>, parts: CallFileWriterParts) {
    this.#file = file;
    this.#parts = parts;
    this.#checker = new CallLineChecker(parts.hasPath);
  }

  get id(): string {
    return this.#file.id;
  }

  get uploadedBytes(): number {
    return this.#uploadedBytes;
  }

  /** What begins and is not completed is deleted after an hour. */
  async begin(): Promise<void> {
    await this.#parts.files.add(this.#described(this.#file.madeAtMs + limits.callFileUploadMs));
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#uploadedBytes += chunk.byteLength;
    if (this.#uploadedBytes > this.#parts.bytesMax)
      throw new GatewayError(
        'body_too_large',
        `a file of calls has at most ${this.#parts.bytesMax} bytes here, or less if the account has other files: delete some`,
      );
    this.#splitter.push(chunk);
    if (this.#waiting.length >= limits.callLinesAtOnce || this.#waitingBytes >= limits.callLineBytesAtOnce)
      await this.#flush();
  }

  /** Throws if the file has no calls. */
  async end(expiresAtMs: number): Promise<CallFile> {
    this.#splitter.end();
    if (this.#splitter.hasLongLine)
      throw new GatewayError('invalid_request', `a line has at most ${limits.batchLineBytesMax} bytes`);
    if (this.#checker.calls === 0) throw new GatewayError('invalid_request', 'the file has no calls');
    await this.#flush();
    const file = this.#described(expiresAtMs);
    await this.#parts.files.complete(file);
    return file;
  }

  #described(expiresAtMs: number): CallFile {
    const { callPath, models, calls } = this.#checker;
    return { ...this.#file, callPath, models, calls, bytes: this.#bytes, expiresAtMs };
  }

  #add(line: Buffer): void {
    const content = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
    if (content.toString('latin1').trim() === '') return;
    const number = this.#checker.calls;
    this.#checker.add(content);
    const sealed = sealLine(this.#parts.sealing, this.#file.id, number, content);
    this.#waiting.push(sealed);
    this.#waitingBytes += sealed.sealed.byteLength;
    this.#bytes += sealed.sealed.byteLength;
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let at = 0; at < lines.length; at += limits.callLinesAtOnce)
      await this.#parts.files.addLines(this.#file.id, lines.slice(at, at + limits.callLinesAtOnce));
  }
}

const carriageReturn = 0x0d;
