// Reads scan results: members of an object by name, and single values.
import type { ScanResult } from './scan-result.ts';

/** The range of a member's value. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The value that JSON.parse would return for this name: the last one. */
export function findMember(bytes: Buffer, scanResult: ScanResult, name: string): ByteRange | undefined {
  if (scanResult.kind !== 'object') return undefined;
  const { offsets } = scanResult;
  for (let at = offsets.length - 4; at >= 0; at -= 4)
    if (keyEquals(bytes, (offsets[at] ?? 0) + 1, (offsets[at + 1] ?? 0) - 1, name))
      return { start: offsets[at + 2] ?? 0, end: offsets[at + 3] ?? 0 };
  return undefined;
}

/** The names of all members as written, including duplicates. */
export function memberNames(bytes: Buffer, { kind, offsets }: ScanResult): readonly string[] {
  const names: string[] = [];
  if (kind !== 'object') return names;
  for (let at = 0; at < offsets.length; at += 4)
    names.push(String(parseValueAt(bytes, offsets[at] ?? 0, offsets[at + 1] ?? 0)));
  return names;
}

/** Whether two members have the same name, in any spelling. */
export function hasDuplicateKey(bytes: Buffer, scanResult: ScanResult): boolean {
  const { kind, offsets } = scanResult;
  if (kind !== 'object') return false;
  if (offsets.length > 4 * pairwiseKeysMax || hasEscapedKey(bytes, offsets)) {
    const names = memberNames(bytes, scanResult);
    return new Set(names).size < names.length;
  }
  for (let one = 4; one < offsets.length; one += 4)
    for (let other = 0; other < one; other += 4) if (isSameKey(bytes, offsets, one, other)) return true;
  return false;
}

/**
 * Parses these bytes, which are a valid value. Short strings and literals, which most fields are, don't need
 * JSON.parse.
 */
export function parseValueAt(bytes: Buffer, start: number, end: number): unknown {
  switch (bytes[start]) {
    case quote:
      if (end - start > shortBytesMax || hasEscape(bytes, start, end)) break;
      return bytes.toString('utf8', start + 1, end - 1);
    case letterT:
      return true;
    case letterF:
      return false;
    case letterN:
      return null;
  }
  return JSON.parse(bytes.toString('utf8', start, end));
}

const shortBytesMax = 64;

/** Up to this many names are compared pairwise as bytes, which is cheaper than creating strings. */
const pairwiseKeysMax = 32;

/**
 * Compares a key with a name as bytes. A key with escapes or non-ASCII letters is decoded, unless its start differs
 * or it is too long.
 */
function keyEquals(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (end - start > escapedBytesMax * name.length) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === backslash || byte > lastAscii) return parseValueAt(bytes, start - 1, end + 1) === name;
    if (byte !== name.charCodeAt(at - start)) return false;
  }
  return end - start === name.length;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

function hasEscapedKey(bytes: Buffer, places: readonly number[]): boolean {
  for (let at = 0; at < places.length; at += 4)
    if (hasEscape(bytes, places[at] ?? 0, places[at + 1] ?? 0)) return true;
  return false;
}

/** For keys without escapes. */
function isSameKey(bytes: Buffer, places: readonly number[], one: number, other: number): boolean {
  const start = places[one] ?? 0;
  const length = (places[one + 1] ?? 0) - start;
  const from = places[other] ?? 0;
  if ((places[other + 1] ?? 0) - from !== length) return false;
  for (let at = 1; at < length; at++) if (bytes[start + at] !== bytes[from + at]) return false;
  return true;
}

/** The longest JSON form of one UTF-16 code unit: a backslash, `u` and four digits. */
const escapedBytesMax = 6;
const quote = 34;
const backslash = 92;
const letterF = 102;
const letterN = 110;
const letterT = 116;
const lastAscii = 127;
