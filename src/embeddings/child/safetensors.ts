import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { PinnedFile } from './pinned-file.ts';

interface TensorHeader {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads tensors of a file on demand, to avoid holding the whole file in memory. */
export class SafetensorsFile {
  readonly #file: number;
  readonly #dataOffset: number;
  readonly #headers: Readonly<Record<string, TensorHeader>>;

  constructor({ path, sha256 }: PinnedFile) {
    this.#file = openSync(path, 'r');
    if (hashFile(this.#file) !== sha256) throw new Error(`${path} has an unexpected SHA-256`);
    const headBytes = Number(this.#bytes(0, 8).readBigUInt64LE());
    this.#headers = JSON.parse(this.#bytes(8, headBytes).toString());
    this.#dataOffset = 8 + headBytes;
  }

  shape(name: string): readonly number[] {
    return this.#headerOf(name).shape;
  }

  floats(name: string): Float32Array {
    const { dtype } = this.#headerOf(name);
    if (dtype === 'F16') return Float32Array.from(this.halves(name));
    if (dtype === 'F32') return new Float32Array(this.#readAligned(name));
    throw new Error(`tensor ${name} has type ${dtype}, expected F16 or F32`);
  }

  halves(name: string): Float16Array {
    return new Float16Array(this.#readAligned(name));
  }

  bytes(name: string): Int8Array {
    return new Int8Array(this.#readAligned(name));
  }

  close(): void {
    closeSync(this.#file);
  }

  #headerOf(name: string): TensorHeader {
    const tensorHeader = this.#headers[name];
    if (tensorHeader === undefined) throw new Error(`there is no tensor ${name}`);
    return tensorHeader;
  }

  #readAligned(name: string): ArrayBuffer {
    const [from, to] = this.#headerOf(name).data_offsets;
    const buffer = new ArrayBuffer(to - from);
    this.#read(new Uint8Array(buffer), this.#dataOffset + from);
    return buffer;
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    this.#read(bytes, at);
    return bytes;
  }

  #read(into: Uint8Array, at: number): void {
    if (readSync(this.#file, into, 0, into.length, at) !== into.length)
      throw new Error('unexpected end of file');
  }
}

function hashFile(file: number): string {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(pieceBytes);
  for (let at = 0; ; ) {
    const length = readSync(file, piece, 0, pieceBytes, at);
    if (length === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, length));
    at += length;
  }
}

const pieceBytes = 1024 * 1024;
