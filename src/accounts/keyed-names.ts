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
  readonly #latest: Latest = { hash: new Uint16Array(8), name: '' };

  /** Its first 16 bytes are used. */
  constructor(key: Uint8Array) {
    this.#key = key.subarray(0, 16);
  }

  of(secret: string): string {
    return sipHash?.ofText(this.#key, secret, this.#latest) ?? this.#slowly(Buffer.from(secret));
  }

  /** The same for bytes, of which there may be any number. */
  ofBytes(bytes: Uint8Array): string {
    return sipHash?.ofBytes(this.#key, bytes, this.#latest) ?? this.#slowly(bytes);
  }

  #slowly(bytes: Uint8Array): string {
    return hash('sha256', Buffer.concat([this.#key, bytes]), 'base64url');
  }
}

const sipHash = load();

/** The name that was made last: the same secret comes again and again. */
interface Latest {
  readonly hash: Uint16Array;
  name: string;
}

/** Its functions answer nothing for what is too long, and for text that is no ASCII. */
interface SipHash {
  ofText(key: Uint8Array, text: string, latest: Latest): string | undefined;
  ofBytes(key: Uint8Array, bytes: Uint8Array, latest: Latest): string | undefined;
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
  let keyInPlace: Uint8Array | undefined;
  const nameOf = (key: Uint8Array, length: number, latest: Latest): string => {
    if (key !== keyInPlace) keyPlace.set(key);
    keyInPlace = key;
    run(length);
    // The same text again where it is the same name: a Map finds one that it has seen at once, and a new one slowly.
    if (latest.name === '' || !isSame(made, latest.hash)) {
      latest.hash.set(made);
      latest.name = half(made, 0) + half(made, 4);
    }
    return latest.name;
  };
  return {
    ofText(key, text, latest) {
      if (text.length > textBytesMax) return undefined;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > lastAscii) return undefined;
        place[at] = code;
      }
      const name = nameOf(key, text.length, latest);
      place.fill(0, 0, text.length);
      return name;
    },
    ofBytes(key, bytes, latest) {
      if (bytes.byteLength > bytesMax) return undefined;
      place.set(bytes);
      return nameOf(key, bytes.byteLength, latest);
    },
  };
}

/** Written out, as a list would cost more than the hash. */
function half(made: Uint16Array, at: number): string {
  return String.fromCharCode(made[at] ?? 0, made[at + 1] ?? 0, made[at + 2] ?? 0, made[at + 3] ?? 0);
}

function isSame(one: Uint16Array, other: Uint16Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
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
