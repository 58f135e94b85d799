import { type FileHandle, open, unlink } from 'node:fs/promises';

/** A segment that another process left behind or is still writing. */
export class RecoveredSegment {
  readonly #path: string;
  readonly #file: FileHandle;
  #readBytes = 0;

  /** Undefined if another process was faster. */
  static async open(path: string): Promise<RecoveredSegment | undefined> {
    try {
      return new RecoveredSegment(path, await open(path));
    } catch {
      return undefined;
    }
  }

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** The lines since the last call. One that is incomplete is left out: its process was killed, or still writes it. */
  async newLines(): Promise<readonly string[]> {
    const { size } = await this.#file.stat();
    const length = size - this.#readBytes;
    if (length <= 0) return [];
    const { buffer } = await this.#file.read(Buffer.alloc(length), 0, length, this.#readBytes);
    const complete = buffer.subarray(0, buffer.lastIndexOf(lineEnd) + 1);
    this.#readBytes += complete.length;
    return complete.toString().split('\n').slice(0, -1);
  }

  /** The open file can still be read. */
  async remove(): Promise<void> {
    await unlink(this.#path).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

const lineEnd = 0x0a;
