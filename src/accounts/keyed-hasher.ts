import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A key of ours has some 60 characters. */
const textBytesMax = 256;
/** From there on SHA-256, for which processors have instructions, takes less. */
const bytesMax = 16_384;
const lastAscii = 127;

/**
 * Names for secrets by which they can be found again, and from which nobody who doesn't know the key can tell them: 128 bits
 * of SipHash. They are made for every call, and OpenSSL takes five times as long to get ready for a hash as for the hash itself.
 */
export class KeyedHasher {
  readonly #key: Uint8Array;
  readonly #latest: LatestHash = { hash: new Uint16Array(8), name: '' };

  /** Its first 16 bytes are used. */
  constructor(key: Uint8Array) {
    this.#key = key.subarray(0, 16);
  }

  hashText(secret: string): string {
    return sipHash?.hashText(this.#key, secret, this.#latest) ?? this.#hashWithSha256(Buffer.from(secret));
  }

  /** The same for bytes, of which there may be any number. */
  hashBytes(bytes: Uint8Array): string {
    return sipHash?.hashBytes(this.#key, bytes, this.#latest) ?? this.#hashWithSha256(bytes);
  }

  #hashWithSha256(bytes: Uint8Array): string {
    return hash('sha256', Buffer.concat([this.#key, bytes]), 'base64url');
  }
}

const sipHash = loadSipHash();

/** The name that was made last: the same secret comes again and again. */
interface LatestHash {
  readonly hash: Uint16Array;
  name: string;
}

/** Its functions answer nothing for what is too long, and for text that is no ASCII. */
interface SipHash {
  hashText(key: Uint8Array, text: string, latestHash: LatestHash): string | undefined;
  hashBytes(key: Uint8Array, bytes: Uint8Array, latestHash: LatestHash): string | undefined;
}

/** Undefined where there is no WebAssembly. */
function loadSipHash(): SipHash | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const code = readFileSync(new URL('./sip-hash.wasm', import.meta.url));
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { run, memory } = wasmExports;
  const keyPlace = new Uint8Array(memory.buffer, wasmExports.keyAt.value, 16);
  const place = new Uint8Array(memory.buffer, wasmExports.textAt.value, bytesMax);
  const made = new Uint16Array(memory.buffer, wasmExports.hashAt.value, 8);
  let keyInPlace: Uint8Array | undefined;
  const nameOf = (key: Uint8Array, length: number, latestHash: LatestHash): string => {
    if (key !== keyInPlace) keyPlace.set(key);
    keyInPlace = key;
    run(length);
    // The same text again where it is the same name: a Map finds one that it has seen at once, and a new one slowly.
    if (latestHash.name === '' || !equalHashes(made, latestHash.hash)) {
      latestHash.hash.set(made);
      latestHash.name = encodeHalf(made, 0) + encodeHalf(made, 4);
    }
    return latestHash.name;
  };
  return {
    hashText(key, text, latestHash) {
      if (text.length > textBytesMax) return undefined;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > lastAscii) return undefined;
        place[at] = code;
      }
      const name = nameOf(key, text.length, latestHash);
      place.fill(0, 0, text.length);
      return name;
    },
    hashBytes(key, bytes, latestHash) {
      if (bytes.byteLength > bytesMax) return undefined;
      place.set(bytes);
      return nameOf(key, bytes.byteLength, latestHash);
    },
  };
}

/** Written out, as a list would cost more than the hash. */
function encodeHalf(made: Uint16Array, at: number): string {
  return String.fromCharCode(made[at] ?? 0, made[at + 1] ?? 0, made[at + 2] ?? 0, made[at + 3] ?? 0);
}

function equalHashes(one: Uint16Array, other: Uint16Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** What of WebAssembly is used; the types of Node.js leave it to those of browsers. */
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
