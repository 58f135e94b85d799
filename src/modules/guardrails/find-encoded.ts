import { isUtf8 } from 'node:buffer';
import type { Finding } from './finding.ts';
import { mergeFindings } from './merge-findings.ts';
import { base64, base64url, endOfRun } from './recognizers/characters.ts';

/**
 * Finds values that are written in an encoding: base64, hexadecimal, percent signs, HTML entities, escapes of JSON. `find` looks through the
 * decoded text. What is found is the whole encoded run, since a part of one can't be replaced.
 */
export function findEncoded(
  text: string,
  find: (text: string) => readonly Finding[],
  depth = depthMax,
): readonly Finding[] {
  const findIn = (decoded: string): Finding | undefined =>
    find(decoded)[0] ?? (depth > 1 ? findEncoded(decoded, find, depth - 1)[0] : undefined);
  return mergeFindings(
    ...encodings.map(({ runsIn, decode }) => {
      const findings: Finding[] = [];
      for (const [start, end] of runsIn(text)) {
        const decoded = decode(text.slice(start, end));
        const found = decoded === undefined ? undefined : findIn(decoded);
        if (found !== undefined) findings.push({ start, end, kind: found.kind });
      }
      return findings;
    }),
  );
}

/** Encodings inside of encodings. */
const depthMax = 2;

interface Encoding {
  /** Starts and ends, in linear time. */
  runsIn(text: string): Iterable<readonly [number, number]>;
  /** Undefined if the run is something else. */
  decode(run: string): string | undefined;
}

const encodings: readonly Encoding[] = [
  {
    runsIn: (text) => runsWith(text, '%', /[\w.~+%-]+/g),
    decode: (run) => decodeOrUndefined(() => decodeURIComponent(run)),
  },
  {
    runsIn: (text) => runsWith(text, '&#', /[\w.&#;@:+-]+/g),
    decode: (run) => run.replaceAll(entity, characterOf),
  },
  {
    runsIn: (text) => runsWith(text, '\\u', /[\w.\\@:+-]+/g),
    decode: (run) =>
      run.replaceAll(escapeOfJson, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  },
  { runsIn: longRuns, decode: (run) => decodeBytes(run, hexadecimal.test(run) ? 'hex' : 'base64') },
];

/** Runs of characters that contain a mark. */
function* runsWith(text: string, mark: string, runs: RegExp): Generator<readonly [number, number]> {
  if (!text.includes(mark)) return;
  for (const { 0: run, index } of text.matchAll(runs))
    if (run.includes(mark)) yield [index, index + run.length];
}

/** Runs of the letters of base64, which are those of hexadecimal, too. */
function* longRuns(text: string): Generator<readonly [number, number]> {
  for (let at = 0; at < text.length; at++) {
    const end = endOfRun(text, at, base64url | base64);
    if (end - at >= encodedCharactersMin) yield [at, end];
    at = end;
  }
}

/** A shorter run has fewer than 12 bytes. */
const encodedCharactersMin = 16;

const entity = /&#(x?)([0-9a-f]{1,6});/gi;
const escapeOfJson = /\\u([0-9a-f]{4})/gi;
const hexadecimal = /^[0-9a-f]+$/i;

function characterOf(whole: string, isHexadecimal: string, digits: string): string {
  const code = Number.parseInt(digits, isHexadecimal === '' ? 10 : 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Text that somebody encoded. Most runs are identifiers, hashes or media: their first bytes show it. */
function decodeBytes(run: string, encoding: 'hex' | 'base64'): string | undefined {
  if (!hasNoControls(Buffer.from(run.slice(0, 24), encoding))) return undefined;
  const bytes = Buffer.from(run, encoding);
  return hasNoControls(bytes) && isUtf8(bytes) ? bytes.toString() : undefined;
}

function hasNoControls(bytes: Uint8Array): boolean {
  return bytes.every((byte) => (byte >= 32 ? byte !== 127 : byte === 9 || byte === 10 || byte === 13));
}

function decodeOrUndefined(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
