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
export class KeyedNames {
  readonly #key: Uint8Array;

  /** Its first 16 bytes are used. */
  constructor(key: Uint8Array) {
    this.#key = key.subarray(0, 16);
  }

  of(secret: string): string {
    return sipHash?.ofText(this.#key, secret) ?? this.#slowly(Buffer.from(secret));
  }

  /** The same for bytes, of which there may be any number. */
  ofBytes(bytes: Uint8Array): string {
    return sipHash?.ofBytes(this.#key, bytes) ?? this.#slowly(bytes);
  }

  #slowly(bytes: Uint8Array): string {
    return hash('sha256', Buffer.concat([this.#key, bytes]), 'base64url');
  }
}

const sipHash = load();

/** Its functions answer nothing for what is too long, and for text that is no ASCII. */
interface SipHash {
  ofText(key: Uint8Array, text: string): string | undefined;
  ofBytes(key: Uint8Array, bytes: Uint8Array): string | undefined;
}

/** Undefined where there is no WebAssembly. */
function load(): SipHash | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const code = readFileSync(new URL('./sip-hash.wasm', import.meta.url));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { run, memory } = exports;
  const keyPlace = new Uint8Array(memory.buffer, exports.keyAt.value, 16);
  const place = new Uint8Array(memory.buffer, exports.textAt.value, bytesMax);
  const made = new Uint16Array(memory.buffer, exports.hashAt.value, 8);
  const nameOf = (key: Uint8Array, length: number): string => {
    keyPlace.set(key);
    run(length);
    // Written out, as a list would cost more than the hash.
    const half = (at: number) =>
      String.fromCharCode(made[at] ?? 0, made[at + 1] ?? 0, made[at + 2] ?? 0, made[at + 3] ?? 0);
    return half(0) + half(4);
  };
  return {
    ofText(key, text) {
      if (text.length > textBytesMax) return undefined;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > lastAscii) return undefined;
        place[at] = code;
      }
      const name = nameOf(key, text.length);
      place.fill(0, 0, text.length);
      return name;
    },
    ofBytes(key, bytes) {
      if (bytes.byteLength > bytesMax) return undefined;
      place.set(bytes);
      return nameOf(key, bytes.byteLength);
    },
  };
}

/** What of WebAssembly is used; the types of Node.js leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(length: number): void;
  readonly keyAt: { readonly value: number };
  readonly textAt: { readonly value: number };
  readonly hashAt: { readonly value: number };
}
