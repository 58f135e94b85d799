import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';

/** Files for the beginnings of forms that are too long for memory. Each file loses its name at once, so that a killed process leaves none. */
export class FormSpools {
  readonly #folder: string;
  readonly #bytesByOwner = new Map<string, number>();
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The bytes in all files. */
  get bytes(): number {
    return this.#bytes;
  }

  open(owner: string): FormSpool {
    return new FormSpool(this.#folder, (bytes) => this.#add(owner, bytes));
  }

  /** Rejects more bytes than the process or the owner may have on disk. */
  #add(owner: string, bytes: number): void {
    const own = (this.#bytesByOwner.get(owner) ?? 0) + bytes;
    if (bytes > 0 && (this.#bytes + bytes > limits.spooledBytesMax || own > limits.spooledBytesOfCallerMax))
      throw new GatewayError(
        'busy',
        'too many forms with a file before their field "model" arrive at once; put "model" first, or try again',
        { retryAfterSeconds: 5 },
      );
    this.#bytes += bytes;
    if (own > 0) this.#bytesByOwner.set(owner, own);
    else this.#bytesByOwner.delete(owner);
  }
}

/** The bytes of one form on disk. */
export class FormSpool {
  readonly #folder: string;
  readonly #add: (bytes: number) => void;
  #file: FileHandle | undefined;
  /** Set where an open file keeps its name. */
  #path: string | undefined;
  #bytes = 0;
  #isClosed = false;

  constructor(folder: string, add: (bytes: number) => void) {
    this.#folder = folder;
    this.#add = add;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#add(chunk.byteLength);
    const position = this.#bytes;
    this.#bytes += chunk.byteLength;
    try {
      this.#file ??= await this.#create();
      for (let at = 0; at < chunk.byteLength; ) {
        const { bytesWritten } = await this.#file.write(chunk, at, chunk.byteLength - at, position + at);
        at += bytesWritten;
      }
    } catch (cause) {
      throw new GatewayError(
        'storage_unavailable',
        'the form could not be stored until its field "model" arrives',
        {
          cause,
        },
      );
    }
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.#bytes && !this.#isClosed; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, this.#bytes - position));
      const { bytesRead = 0 } = (await this.#file?.read(chunk, 0, chunk.byteLength, position)) ?? {};
      if (bytesRead === 0) throw new Error('the stored form ended early');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#add(-this.#bytes);
    await this.#file?.close().catch(() => undefined);
    if (this.#path !== undefined) await unlink(this.#path).catch(() => undefined);
  }

  async #create(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, `${randomUUID()}.form`);
    const file = await open(path, 'wx+', 0o600);
    // Not everywhere can the name of an open file be removed.
    await unlink(path).catch(() => {
      this.#path = path;
    });
    return file;
  }
}

const chunkBytes = 64 * 1024;
