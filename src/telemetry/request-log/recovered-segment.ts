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

  /** The whole content, if it has grown since the last read; the last line may be incomplete. */
  async lines(): Promise<readonly string[]> {
    const { size } = await this.#file.stat();
    if (size <= this.#readBytes) return [];
    this.#readBytes = size;
    const { buffer } = await this.#file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString().split('\n');
  }

  /** The open file can still be read. */
  async remove(): Promise<void> {
    await unlink(this.#path).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
