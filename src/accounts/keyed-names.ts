import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A key of ours has some 60 characters. */
const textBytes = 256;
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
    return (
      sipHash?.(this.#key, secret) ??
      hash('sha256', Buffer.concat([this.#key, Buffer.from(secret)]), 'base64url')
    );
  }
}

const sipHash = load();

/** Undefined where there is no WebAssembly; the function answers nothing for what is too long, or no ASCII. */
function load(): ((key: Uint8Array, text: string) => string | undefined) | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const code = readFileSync(new URL('./sip-hash.wasm', import.meta.url));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { run, memory } = exports;
  const keyPlace = new Uint8Array(memory.buffer, exports.keyAt.value, 16);
  const place = new Uint8Array(memory.buffer, exports.textAt.value, textBytes);
  const made = new Uint16Array(memory.buffer, exports.hashAt.value, 8);
  return (key, text) => {
    if (text.length > textBytes) return undefined;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > lastAscii) return undefined;
      place[at] = code;
    }
    keyPlace.set(key);
    run(text.length);
    place.fill(0, 0, text.length);
    let name = '';
    for (let at = 0; at < made.length; at++) name += String.fromCharCode(made[at] ?? 0);
    return name;
  };
}

/** What of WebAssembly is used; the types of Node.js leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: SipHash };
};

interface SipHash {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(length: number): void;
  readonly keyAt: { readonly value: number };
  readonly textAt: { readonly value: number };
  readonly hashAt: { readonly value: number };
}
