import { isUtf8 } from 'node:buffer';
import { abridged } from './abridged.ts';
import { GatewayError } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { limits } from './limits.ts';
import { hasDuplicate, memberNamed, memberNames, valueAt } from './scan/members.ts';
import { readSlowly } from './scan/read-slowly.ts';
import { scan } from './scan/scan.ts';
import { childrenMax, type ScanBounds, type ScanFault, type Scanned } from './scan/scanned.ts';

/** Fields of an object, read when somebody asks for them. */
export interface Fields {
  /** Undefined where there is none of this name. */
  get(name: string): unknown;
}

interface Member {
  readonly name: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/**
 * A JSON object in its bytes: checked, its fields found, and nothing of it read before somebody asks. What two parsers
 * could read in two ways is refused: broken UTF-8, and a key that is there twice, which deeper down is looked for when
 * all of it is parsed: what is only passed on, nobody here reads in any way.
 */
export class Outline implements Fields {
  readonly bytes: Buffer;
  readonly #scanned: Scanned;
  readonly #refusesTwins: boolean;

  private constructor(bytes: Buffer, scanned: Scanned, refusesTwins: boolean) {
    this.bytes = bytes;
    this.#scanned = scanned;
    this.#refusesTwins = refusesTwins;
  }

  /** Of an answer, in which the last of two keys counts; undefined for what is no object, or too deep. */
  static ofAnswer(bytes: Buffer): Outline | undefined {
    const scanned = scan(bytes, answered);
    return typeof scanned === 'string' || scanned.kind !== 'object'
      ? undefined
      : new Outline(bytes, scanned, false);
  }

  /** Refuses what is no JSON object, or more of one than may be. */
  static of(given: Uint8Array, bounds: ScanBounds = received): Outline {
    const bytes = Buffer.isBuffer(given)
      ? given
      : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    if (!isUtf8(bytes)) throw invalid('is not valid UTF-8');
    const scanned = scan(bytes, bounds);
    if (typeof scanned === 'string') throw refusal(scanned, bytes);
    if (scanned.kind !== 'object') throw invalid('must be a JSON object');
    if (hasDuplicate(bytes, scanned)) throw duplicate();
    return new Outline(bytes, scanned, true);
  }

  /** How many values there are in all, about. */
  get values(): number {
    return this.#scanned.values;
  }

  /** Its fields in their order, with the places of their values. */
  members(): readonly Member[] {
    const { places } = this.#scanned;
    return memberNames(this.bytes, this.#scanned).map((name, at) => ({
      name,
      valueStart: places[4 * at + 2] ?? 0,
      valueEnd: places[4 * at + 3] ?? 0,
    }));
  }

  has(name: string): boolean {
    return memberNamed(this.bytes, this.#scanned, name) !== undefined;
  }

  get(name: string): unknown {
    const place = memberNamed(this.bytes, this.#scanned, name);
    return place === undefined ? undefined : valueAt(this.bytes, place.start, place.end);
  }

  /** The JSON text of a field, as it was sent; empty where there is none of this name. */
  textOf(name: string): string {
    const place = memberNamed(this.bytes, this.#scanned, name);
    return place === undefined ? '' : this.bytes.toString('utf8', place.start, place.end);
  }

  /** How many bytes there are between the brackets of a list; undefined where the field is no list. */
  listBytes(name: string): number | undefined {
    const place = memberNamed(this.bytes, this.#scanned, name);
    return place !== undefined && this.bytes[place.start] === openBracket
      ? place.end - place.start - 2
      : undefined;
  }

  /** All of it. */
  parsed(): JsonObject {
    return this.#checked(this.bytes.toString('utf8'));
  }

  /** All of it, but of long texts only how they begin, where that spares something; `bytesOfText` says how long they are. */
  abridged(): JsonObject {
    const longTexts = this.bytes.byteLength < abridgedBytesMin ? undefined : this.#scanned.longTexts;
    return this.#checked(
      longTexts === undefined ? this.bytes.toString('utf8') : abridged(this.bytes, longTexts),
    );
  }

  #checked(text: string): JsonObject {
    const read: unknown = this.#scanned.escapedKeys ? readSlowly(text) : JSON.parse(text);
    const body = isJsonObject(read) ? read : nothing;
    if (this.#refusesTwins && countKeys(body) !== this.#scanned.pairs) throw duplicate();
    return body;
  }
}

/** What clients may send. */
const received: ScanBounds = { valuesMax: limits.jsonValuesMax, depthMax: limits.jsonDepthMax };
const answered: ScanBounds = { valuesMax: Number.POSITIVE_INFINITY, depthMax: limits.jsonDepthMax };
/** Cutting takes as long as reading a text of a few thousand bytes. */
const abridgedBytesMin = 8192;
const openBracket = 91;
const nothing: JsonObject = {};

function refusal(fault: ScanFault, bytes: Buffer): GatewayError {
  switch (fault) {
    case 'values':
      return invalid(`has more than ${limits.jsonValuesMax} values`);
    case 'depth':
      return invalid(`is nested more than ${limits.jsonDepthMax} deep`);
    case 'children':
      return invalid(`has more than ${childrenMax} fields`);
    case 'syntax':
      return notJson(bytes);
  }
}

/** In the words of the parser, which ends at the same place. */
function notJson(bytes: Buffer): GatewayError {
  try {
    JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return invalid(`is not JSON: ${why.slice(0, 200)}`, cause);
  }
  return invalid('is not JSON');
}

function duplicate(): GatewayError {
  return invalid('has an object with a duplicate key');
}

function invalid(what: string, cause?: unknown): GatewayError {
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
