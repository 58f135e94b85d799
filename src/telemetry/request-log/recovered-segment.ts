import { type FileHandle, open, unlink } from 'node:fs/promises';

/** A page that another process has left behind, or is writing. */
export class RecoveredSegment {
  readonly #path: string;
  readonly #file: FileHandle;
  #readBytes = 0;

  /** Undefined where somebody else was faster. */
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

  /** All of it, if there is more than there was the last time; the last line may be cut. */
  async lines(): Promise<readonly string[]> {
    const { size } = await this.#file.stat();
    if (size <= this.#readBytes) return [];
    this.#readBytes = size;
    const { buffer } = await this.#file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString().split('\n');
  }

  /** It can still be read. */
  async remove(): Promise<void> {
    await unlink(this.#path).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
