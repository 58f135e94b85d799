import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Our API keys have some 60 characters. */
const textBytesMax = 256;
/** Beyond this size SHA-256, for which processors have instructions, is faster. */
const bytesMax = 16_384;
const lastAscii = 127;

/**
 * Hashes secrets with a key, to use the hashes as cache keys that don't reveal the secrets: 128 bits of SipHash. It runs
 * with every call, and OpenSSL takes five times as long to set up a hash as to compute it.
 */
export class KeyedHasher {
  readonly #key: Uint8Array;
  readonly #latest: LatestHash = { hash: new Uint16Array(8), name: '' };

  /** Uses the first 16 bytes of the key. */
  constructor(key: Uint8Array) {
    this.#key = key.subarray(0, 16);
  }

  hashText(secret: string): string {
    return sipHash.hashText(this.#key, secret, this.#latest) ?? this.#hashWithSha256(Buffer.from(secret));
  }

  /** The same for any number of bytes. */
  hashBytes(bytes: Uint8Array): string {
    return sipHash.hashBytes(this.#key, bytes, this.#latest) ?? this.#hashWithSha256(bytes);
  }

  #hashWithSha256(bytes: Uint8Array): string {
    return createHash('sha256').update(this.#key).update(bytes).digest('base64url');
  }
}

const sipHash = loadSipHash();

/** The latest hash, because the same secret often repeats. */
interface LatestHash {
  readonly hash: Uint16Array;
  name: string;
}

/** Its functions return undefined for input that is too long and for text that is not ASCII. */
interface SipHash {
  hashText(key: Uint8Array, text: string, latestHash: LatestHash): string | undefined;
  hashBytes(key: Uint8Array, bytes: Uint8Array, latestHash: LatestHash): string | undefined;
}

function loadSipHash(): SipHash {
  const code = readFileSync(new URL('./sip-hash.wasm', import.meta.url));
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { run, memory } = wasmExports;
  const keyBuffer = new Uint8Array(memory.buffer, wasmExports.keyAt.value, 16);
  const textBuffer = new Uint8Array(memory.buffer, wasmExports.textAt.value, bytesMax);
  const hashBuffer = new Uint16Array(memory.buffer, wasmExports.hashAt.value, 8);
  let currentKey: Uint8Array | undefined;
  const nameOf = (key: Uint8Array, length: number, latestHash: LatestHash): string => {
    if (key !== currentKey) keyBuffer.set(key);
    currentKey = key;
    run(length);
    // Reuses the same string object for the same hash: a Map finds a string that it has seen faster.
    if (latestHash.name === '' || !equalHashes(hashBuffer, latestHash.hash)) {
      latestHash.hash.set(hashBuffer);
      latestHash.name = encodeHalf(hashBuffer, 0) + encodeHalf(hashBuffer, 4);
    }
    return latestHash.name;
  };
  return {
    hashText(key, text, latestHash) {
      if (text.length > textBytesMax) return undefined;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > lastAscii) return undefined;
        textBuffer[at] = code;
      }
      const name = nameOf(key, text.length, latestHash);
      textBuffer.fill(0, 0, text.length);
      return name;
    },
    hashBytes(key, bytes, latestHash) {
      if (bytes.byteLength > bytesMax) return undefined;
      textBuffer.set(bytes);
      return nameOf(key, bytes.byteLength, latestHash);
    },
  };
}

/** Written out, because a loop over an array would cost more than the hash. */
function encodeHalf(hashBuffer: Uint16Array, at: number): string {
  return String.fromCharCode(
    hashBuffer[at] ?? 0,
    hashBuffer[at + 1] ?? 0,
    hashBuffer[at + 2] ?? 0,
    hashBuffer[at + 3] ?? 0,
  );
}

function equalHashes(one: Uint16Array, other: Uint16Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** The used parts of WebAssembly; the types of Node.js leave them to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: WasmExports };
};

interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(length: number): void;
  readonly keyAt: { readonly value: number };
  readonly textAt: { readonly value: number };
  readonly hashAt: { readonly value: number };
}
