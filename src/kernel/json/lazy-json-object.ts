import { isUtf8 } from 'node:buffer';
import { exactValue, isJsonObject, type JsonObject } from '../../lib/json.ts';
import { truncateLongTexts } from '../../lib/truncate-texts.ts';
import { GatewayError } from '../errors.ts';
import { limits } from '../limits.ts';
import { parseExactKeys } from '../scan/exact-key-parser.ts';
import { findMember, hasDuplicateKey, memberNames, parseValueAt } from '../scan/members.ts';
import { scan } from '../scan/scan.ts';
import {
  childrenMax,
  type ScanBounds,
  type ScanFault,
  type ScanResult,
  type TextMark,
} from '../scan/scan-result.ts';
import { type ParsedItem, ParsedItems, parseItem } from './parsed-items.ts';

/** Fields of an object, parsed on access. */
export interface FieldReader {
  /** Undefined if there is no such field. */
  get(name: string): unknown;
}

/** The items of a list as they were parsed, with their starts and ends. */
interface ItemizedList {
  readonly items: readonly unknown[];
  readonly offsets: readonly number[];
}

/** Neighbours in a list of the body. */
interface FoundItems {
  readonly bytes: Uint8Array;
  readonly count: number;
}

interface FieldRange {
  readonly name: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/**
 * A JSON object in its bytes: validated and indexed, with fields parsed on access. Rejects what two parsers could
 * read differently: invalid UTF-8 and duplicate keys. Nested duplicates are found only when the whole body is parsed,
 * since nothing here reads a body that is passed through.
 */
export class LazyJsonObject implements FieldReader {
  readonly bytes: Buffer;
  readonly #scanned: ScanResult;
  readonly #rejectsDuplicates: boolean;
  readonly #owner: string | undefined;
  #itemized: ItemizedList | undefined;
  /** The indexes of its items. */
  #places: Map<unknown, number> | undefined;

  private constructor(bytes: Buffer, scanResult: ScanResult, refusesTwins: boolean, owner?: string) {
    this.bytes = bytes;
    this.#scanned = scanResult;
    this.#rejectsDuplicates = refusesTwins;
    this.#owner = owner;
  }

  /** For answers, where the last of two duplicate keys counts; undefined if it is no object or nested too deep. */
  static ofAnswer(bytes: Buffer): LazyJsonObject | undefined {
    const scanned = scan(bytes, answerBounds);
    return typeof scanned === 'string' || scanned.kind !== 'object'
      ? undefined
      : new LazyJsonObject(bytes, scanned, false);
  }

  /** The body of a call. Calls of the same owner share the items of long lists. */
  static ofCall(bytes: Uint8Array, owner: string): LazyJsonObject {
    return LazyJsonObject.of(bytes, clientBounds, owner);
  }

  /** Rejects anything but a JSON object within the limits. */
  static of(given: Uint8Array, bounds: ScanBounds = clientBounds, owner?: string): LazyJsonObject {
    const bytes = Buffer.isBuffer(given)
      ? given
      : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    if (!isUtf8(bytes)) throw invalidBodyError('is not valid UTF-8');
    const scanned = scan(bytes, bounds);
    if (typeof scanned === 'string') throw scanError(scanned, bytes);
    if (scanned.kind !== 'object') throw invalidBodyError('must be a JSON object');
    if (hasDuplicateKey(bytes, scanned)) throw duplicateKeyError();
    return new LazyJsonObject(bytes, scanned, true, owner);
  }

  /** Approximate number of values. */
  get values(): number {
    return this.#scanned.values;
  }

  /** Whether a text in it, at any depth, may begin as the mark says. */
  mayHave(mark: TextMark): boolean {
    return (this.#scanned.textMarks & mark.bit) !== 0;
  }

  /** The fields in order, with the positions of their values. */
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

  /** The bytes of a field as sent; undefined if there is no such field. */
  bytesOf(name: string): Buffer | undefined {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange && this.bytes.subarray(byteRange.start, byteRange.end);
  }

  /** The JSON text of a field as sent; empty if there is no such field. */
  textOf(name: string): string {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange === undefined ? '' : this.bytes.toString('utf8', byteRange.start, byteRange.end);
  }

  /** The number of bytes between the brackets of an array; undefined if the field is no array. */
  listBytes(name: string): number | undefined {
    const byteRange = findMember(this.bytes, this.#scanned, name);
    return byteRange !== undefined && this.bytes[byteRange.start] === openBracket
      ? byteRange.end - byteRange.start - 2
      : undefined;
  }

  /** The whole object. Values, and items of its longest list, that the owner has sent before are the same objects as there, and frozen. */
  parse(): JsonObject {
    const owner = this.#owner;
    const isLarge = this.bytes.byteLength >= limits.itemizedBodyBytesMin;
    if (owner === undefined || !isLarge || this.#scanned.escapedKeys)
      return this.#parseText(this.bytes.toString('utf8'));
    let keys = 0;
    const fields: [string, unknown][] = [];
    const exactFields: JsonObject = {};
    const members = this.members();
    const longest = Math.max(...members.map(({ valueStart, valueEnd }) => valueEnd - valueStart));
    for (const { name, valueStart, valueEnd } of members) {
      const isLongest = valueEnd - valueStart === longest;
      const field =
        (isLongest ? this.#parseItems(owner, valueStart, valueEnd) : undefined) ??
        this.#parseValue(owner, this.bytes.subarray(valueStart, valueEnd));
      keys += 1 + field.keys;
      fields.push([name, field.value]);
      if (field.exact !== field.value) Object.assign(exactFields, { [name]: field.exact });
    }
    const body = this.#checked(Object.fromEntries(fields), keys);
    exactBodies.set(body, Object.keys(exactFields).length === 0 ? body : { ...body, ...exactFields });
    return body;
  }

  /** A parsed body with all digits of long integers; the same object if it has none. */
  exactOf(body: JsonObject): JsonObject {
    const exact = exactBodies.get(body) ?? exactValue(body, this.bytes);
    return isJsonObject(exact) ? exact : body;
  }

  #parseValue(owner: string, bytes: Uint8Array): ParsedItem {
    return bytes.byteLength < limits.knownValueBytesMin ? parseItem(bytes) : parsedItems.parse(owner, bytes);
  }

  /** A list of objects; undefined for any other value. */
  #parseItems(owner: string, start: number, end: number): Omit<ParsedItem, 'heapBytes'> | undefined {
    const offsets = this.#offsetsOfItems(start, end);
    if (offsets === undefined) return undefined;
    let keys = 0;
    const exact = new Map<unknown, unknown>();
    for (const [at, known] of parsedItems.parseList(owner, this.bytes, offsets).entries()) {
      const isSecond = exact.has(known.value);
      const item = isSecond ? parseItem(this.bytes.subarray(offsets[2 * at], offsets[2 * at + 1])) : known;
      exact.set(item.value, item.exact);
      keys += item.keys;
    }
    const value = [...exact.keys()];
    const exactValues = [...exact.values()];
    const isExact = exactValues.every((one, at) => one === value[at]);
    this.#itemized = { offsets, items: isExact ? value : exactValues };
    return { value, exact: this.#itemized.items, keys };
  }

  /** The starts and ends of the objects in a list; undefined for any other value. */
  #offsetsOfItems(start: number, end: number): readonly number[] | undefined {
    if (this.bytes[start] !== openBracket) return undefined;
    const list = scan(this.bytes, answerBounds, start, end);
    if (typeof list === 'string') return undefined;
    const isOfObjects = list.offsets.every((offset, at) => at % 2 === 1 || this.bytes[offset] === openBrace);
    return isOfObjects ? list.offsets : undefined;
  }

  /** The bytes of the items of `list` from this index on that are neighbours in the body, too; undefined if the first isn't in it. */
  findItems(list: readonly unknown[], from: number): FoundItems | undefined {
    const { items, offsets } = this.#itemized ?? noItems;
    this.#places ??= new Map(items.map((item, at) => [item, at]));
    const first = this.#places.get(list[from]);
    if (first === undefined) return undefined;
    let count = 1;
    while (from + count < list.length && list[from + count] === items[first + count]) count++;
    return { bytes: this.bytes.subarray(offsets[2 * first], offsets[2 * (first + count) - 1]), count };
  }

  /** The whole object with long texts truncated where that saves time; `bytesOfText` returns their full lengths. */
  parseTruncated(): JsonObject {
    const longTexts = this.bytes.byteLength < truncatedBytesMin ? undefined : this.#scanned.longTexts;
    return this.#parseText(
      longTexts === undefined ? this.bytes.toString('utf8') : truncateLongTexts(this.bytes, longTexts),
    );
  }

  #parseText(text: string): JsonObject {
    const read: unknown = this.#scanned.escapedKeys ? parseExactKeys(text) : JSON.parse(text);
    const body = isJsonObject(read) ? read : emptyObject;
    return this.#rejectsDuplicates ? this.#checked(body, countKeys(body)) : body;
  }

  /** Fewer keys than in the text mean that one was a duplicate. */
  #checked(body: JsonObject, keys: number): JsonObject {
    if (this.#rejectsDuplicates && keys !== this.#scanned.pairs) throw duplicateKeyError();
    return body;
  }
}

/** Limits for client requests. */
const clientBounds: ScanBounds = { valuesMax: limits.jsonValuesMax, depthMax: limits.jsonDepthMax };
const answerBounds: ScanBounds = { valuesMax: Number.POSITIVE_INFINITY, depthMax: limits.jsonDepthMax };
/** Truncating takes as long as parsing a text of a few thousand bytes. */
const truncatedBytesMin = 8192;
const openBracket = 91;
const openBrace = 123;
const parsedItems = new ParsedItems();
/** Of bodies that were parsed item by item. */
const exactBodies = new WeakMap<JsonObject, JsonObject>();
const emptyObject: JsonObject = {};
const noItems: ItemizedList = { items: [], offsets: [] };

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

/** Uses the message of JSON.parse, which fails at the same position. */
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
