import { readFileSync } from 'node:fs';
import { kindOf, type Scan, type ScanFault, type TextMark } from './scan-result.ts';

const loaded = load();

/**
 * Validates JSON and finds the direct children of its value, without parsing any value. Runs in WebAssembly, built from
 * `assembly`, whose memory has a fixed size: bodies are copied through a window of it.
 */
export const scan = loaded.scan;
/** Bytes scanned at a time. */
export const windowBytes = loaded.windowBytes;
/**
 * Has all later scans note whether a text begins with `start`, of which the first 8 bytes count; with `key`, only texts
 * in members with this name. Escaped spellings are not found. Call it when a file is loaded.
 */
export const markTexts = loaded.markTexts;

interface Scanner {
  readonly scan: Scan;
  readonly windowBytes: number;
  markTexts(start: string, key?: string): TextMark;
}

function load(): Scanner {
  const code = readFileSync(new URL('./scanner.wasm', import.meta.url));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { begin, run, memory } = exports;
  const windowBytes = exports.windowBytes.value;
  const window = new Uint8Array(memory.buffer, exports.windowAt.value, windowBytes);
  const found = new Int32Array(memory.buffer, exports.foundAt.value, 9);
  const places = new Int32Array(memory.buffer, exports.placesAt.value, 4 * exports.childrenMax.value);

  const { longTextsMax } = exports;
  const texts = new Int32Array(memory.buffer, exports.longTextsAt.value, 2 * longTextsMax.value);

  const scan: Scan = (bytes, { valuesMax, depthMax }, start = 0, end = bytes.length) => {
    begin(Math.min(valuesMax, countMax), Math.min(depthMax, countMax));
    for (let at = start; ; ) {
      const length = Math.min(end - at, windowBytes);
      window.set(length === bytes.length ? bytes : bytes.subarray(at, at + length));
      const isLast = at + length === end;
      const done = run(length, at, isLast ? 1 : 0);
      if (done < 0) return faults[-1 - done] ?? 'syntax';
      if (isLast) break;
      at += done;
    }
    const first = found[0] ?? 0;
    const long = found[6] ?? 0;
    return {
      kind: kindOf(bytes[first]),
      start: first,
      end: found[1] ?? 0,
      offsets: copyToArray(places, found[2] ?? 0),
      values: found[3] ?? 0,
      pairs: found[4] ?? 0,
      depth: found[5] ?? 0,
      escapedKeys: found[7] !== 0,
      textMarks: found[8] ?? 0,
      longTexts: long > longTextsMax.value ? undefined : copyToArray(texts, 2 * long),
    };
  };

  let marks = 0;
  const markTexts = (start: string, key = ''): TextMark => {
    const first = Buffer.from(start).subarray(0, exports.markedBytes.value);
    const name = key === '' ? Buffer.of() : Buffer.from(JSON.stringify(key));
    if (first.length === 0 || name.length > exports.markedKeyBytes.value || marks === exports.marksMax.value)
      throw new RangeError(`the scanner can't mark texts that begin with "${start}"`);
    window.set(Buffer.concat([first, name]));
    exports.addMark(first.length, name.length);
    return { bit: 1 << marks++ };
  };
  return { scan, windowBytes, markTexts };
}

const none: readonly number[] = [];

/**
 * Copies the lists, since the next scan overwrites them; plain arrays, since an Int32Array of more than 64 bytes
 * allocates extra memory.
 */
function copyToArray(places: Int32Array, length: number): readonly number[] {
  if (length === 0) return none;
  const list = new Array<number>(length);
  for (let at = 0; at < length; at++) list[at] = places[at] ?? 0;
  return list;
}

/** Indexed by the result of `run`: -1, -2, … */
const faults: readonly ScanFault[] = ['syntax', 'values', 'depth', 'children'];
/** The scanner counts in 32 bits. */
const countMax = 2 ** 31 - 1;

/** The used part of the WebAssembly API, whose types Node.js leaves to browser libraries. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: ScannerExports };
};

interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  begin(valuesMax: number, depthMax: number): void;
  run(length: number, base: number, isLast: number): number;
  addMark(length: number, keyLength: number): void;
  readonly childrenMax: { readonly value: number };
  readonly foundAt: { readonly value: number };
  readonly longTextsAt: { readonly value: number };
  readonly longTextsMax: { readonly value: number };
  readonly markedBytes: { readonly value: number };
  readonly markedKeyBytes: { readonly value: number };
  readonly marksMax: { readonly value: number };
  readonly placesAt: { readonly value: number };
  readonly windowAt: { readonly value: number };
  readonly windowBytes: { readonly value: number };
}
