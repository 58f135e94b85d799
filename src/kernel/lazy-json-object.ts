import { isUtf8 } from 'node:buffer';
import { GatewayError } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { limits } from './limits.ts';
import { parseExactKeys } from './scan/exact-key-parser.ts';
import { findMember, hasDuplicateKey, memberNames, parseValueAt } from './scan/members.ts';
import { scan } from './scan/scan.ts';
import { childrenMax, type ScanBounds, type ScanFault, type ScanResult } from './scan/scan-result.ts';
import { truncateLongTexts } from './truncate-texts.ts';

/** Fields of an object, read when somebody asks for them. */
export interface FieldReader {
  /** Undefined where there is none of this name. */
  get(name: string): unknown;
}

interface FieldRange {
  readonly name: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/**
 * A JSON object in its bytes: checked, its fields found, and nothing of it read before somebody asks. What two parsers
 * could read in two ways is refused: broken UTF-8, and a key that is there twice, which deeper down is looked for when
 * all of it is parsed: what is only passed on, nobody here reads in any way.
 */
export class LazyJsonObject implements FieldReader {
  readonly bytes: Buffer;
  readonly #scanned: ScanResult;
  readonly #rejectsDuplicates: boolean;

  private constructor(bytes: Buffer, scanResult: ScanResult, refusesTwins: boolean) {
    this.bytes = bytes;
    this.#scanned = scanResult;
    this.#rejectsDuplicates = refusesTwins;
  }

  /** Of an answer, in which the last of two keys counts; undefined for what is no object, or too deep. */
  static ofAnswer(bytes: Buffer): LazyJsonObject | undefined {
    const scanned = scan(bytes, answerBounds);
    return typeof scanned === 'string' || scanned.kind !== 'object'
      ? undefined
      : new LazyJsonObject(bytes, scanned, false);
  }

  /** Refuses what is no JSON object, or more of one than may be. */
  static of(given: Uint8Array, bounds: ScanBounds = clientBounds): LazyJsonObject {
    const bytes = Buffer.isBuffer(given)
      ? given
      : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    if (!isUtf8(bytes)) throw invalidBodyError('is not valid UTF-8');
    const scanned = scan(bytes, bounds);
    if (typeof scanned === 'string') throw scanError(scanned, bytes);
    if (scanned.kind !== 'object') throw invalidBodyError('must be a JSON object');
    if (hasDuplicateKey(bytes, scanned)) throw duplicateKeyError();
    return new LazyJsonObject(bytes, scanned, true);
  }

  /** How many values there are in all, about. */
  get values(): number {
    return this.#scanned.values;
  }

  /** Its fields in their order, with the places of their values. */
  members(): readonly FieldRange[] {
    const { offsets } = this.#scanned;
    return memberNames(this.bytes, this.#scanned).map((name, at) => ({
      name,
      valueStart: offsets[4 * at + 2] ?? 0,
      valueEnd: offsets[4 * at + 3] ?? 0,
    }));
  }

  has(name: string): boolean {
    return findMember(this.bytes, this.#scanned, name) !== undefined;
  }

  get(name: string): unknown {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange === undefined ? undefined : parseValueAt(this.bytes, byteRange.start, byteRange.end);
  }

  /** The JSON text of a field, as it was sent; empty where there is none of this name. */
  textOf(name: string): string {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange === undefined ? '' : this.bytes.toString('utf8', byteRange.start, byteRange.end);
  }

  /** How many bytes there are between the brackets of a list; undefined where the field is no list. */
  listBytes(name: string): number | undefined {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange !== undefined && this.bytes[byteRange.start] === openBracket
      ? byteRange.end - byteRange.start - 2
      : undefined;
  }

  /** All of it. */
  parse(): JsonObject {
    return this.#parseText(this.bytes.toString('utf8'));
  }

  /** All of it, but of long texts only how they begin, where that spares something; `bytesOfText` says how long they are. */
  parseTruncated(): JsonObject {
    const longTexts = this.bytes.byteLength < truncatedBytesMin ? undefined : this.#scanned.longTexts;
    return this.#parseText(
      longTexts === undefined ? this.bytes.toString('utf8') : truncateLongTexts(this.bytes, longTexts),
    );
  }

  #parseText(text: string): JsonObject {
    const read: unknown = this.#scanned.escapedKeys ? parseExactKeys(text) : JSON.parse(text);
    const body = isJsonObject(read) ? read : emptyObject;
    if (this.#rejectsDuplicates && countKeys(body) !== this.#scanned.pairs) throw duplicateKeyError();
    return body;
  }
}

/** What clients may send. */
const clientBounds: ScanBounds = { valuesMax: limits.jsonValuesMax, depthMax: limits.jsonDepthMax };
const answerBounds: ScanBounds = { valuesMax: Number.POSITIVE_INFINITY, depthMax: limits.jsonDepthMax };
/** Cutting takes as long as reading a text of a few thousand bytes. */
const truncatedBytesMin = 8192;
const openBracket = 91;
const emptyObject: JsonObject = {};

function scanError(fault: ScanFault, bytes: Buffer): GatewayError {
  switch (fault) {
    case 'values':
      return invalidBodyError(`has more than ${limits.jsonValuesMax} values`);
    case 'depth':
      return invalidBodyError(`is nested more than ${limits.jsonDepthMax} deep`);
    case 'children':
      return invalidBodyError(`has more than ${childrenMax} fields`);
    case 'syntax':
      return syntaxError(bytes);
  }
}

/** In the words of the parser, which ends at the same place. */
function syntaxError(bytes: Buffer): GatewayError {
  try {
    JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return invalidBodyError(`is not JSON: ${why.slice(0, 200)}`, cause);
  }
  return invalidBodyError('is not JSON');
}

function duplicateKeyError(): GatewayError {
  return invalidBodyError('has an object with a duplicate key');
}

function invalidBodyError(what: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_json', `the body ${what}`, { cause });
}

/** Counts the keys that survived parsing: fewer than were written means that one was there twice. */
function countKeys(value: object): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += countKeys(item);
  } else if (isJsonObject(value)) {
    for (const name in value) {
      keys++;
      const inner = value[name];
      if (typeof inner === 'object' && inner !== null) keys += countKeys(inner);
    }
  }
  return keys;
}
