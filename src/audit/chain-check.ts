import { type ChainPoint, chainStart, type PersonalValues } from '../kernel/ports/audit.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { commitmentTo } from './commitment.ts';
import { hashOf } from './hash-of.ts';
import { parseObject } from './parse-object.ts';

interface ChainCheckParts {
  readonly chain: string;
  /** The place before the first entry that is checked. */
  readonly start?: ChainPoint;
  /** Hashes of entries that signed statements have, by number. */
  readonly signed?: ReadonlyMap<number, string>;
}

/** Finds what was changed, removed, added or moved in a chain, whose entries it gets one after the other. */
export class ChainCheck {
  /** In words, in the order of the entries. */
  readonly faults: string[] = [];
  readonly #parts: ChainCheckParts;
  #end: ChainPoint;
  #count = 0;

  constructor(parts: ChainCheckParts) {
    this.#parts = parts;
    this.#end = parts.start ?? chainStart;
    this.#checkSigned();
  }

  /** The last entry so far. */
  get end(): ChainPoint {
    return this.#end;
  }

  /** The number of checked entries. */
  get count(): number {
    return this.#count;
  }

  /** Values that were erased are left out. */
  add(text: string, values: PersonalValues): void {
    this.#count++;
    const fields = parseObject(text);
    const { number } = fields;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      this.faults.push(`what follows entry ${this.#end.number} is no entry`);
      return;
    }
    this.#checkPlace(number, fields);
    if (canonicalJson(fields) !== text) this.faults.push(`entry ${number} is not in the form of entries`);
    this.#checkValues(number, fields, values);
    this.#end = { number, hash: hashOf(text), atMs: Date.parse(String(fields.at)) };
    this.#checkSigned();
  }

  /** Checks that the chain ends where its newest entry is said to be. */
  finish(newest: Pick<ChainPoint, 'number' | 'hash'>): void {
    const { number, hash } = this.#end;
    if (number < newest.number) this.faults.push(missing(number + 1, newest.number));
    else if (number > newest.number)
      this.faults.push(`what follows entry ${newest.number} was not added by Weir`);
    else if (hash !== newest.hash) this.faults.push(changed(number));
  }

  #checkPlace(number: number, { chain, previous, at }: JsonObject): void {
    const before = this.#end;
    if (chain !== this.#parts.chain) this.faults.push(`entry ${number} is of another chain`);
    if (number > before.number + 1) this.faults.push(missing(before.number + 1, number - 1));
    else if (number <= before.number)
      this.faults.push(`entry ${number} stands after entry ${before.number}: it was moved or added`);
    else if (previous !== before.hash)
      this.faults.push(before.number === 0 ? changed(number) : changed(before.number));
    if (!(Date.parse(String(at)) >= before.atMs))
      this.faults.push(`entry ${number} is from a time before the entry ahead of it`);
  }

  #checkValues(number: number, { personal }: JsonObject, values: PersonalValues): void {
    for (const [name, value] of Object.entries(values))
      if (!isJsonObject(personal) || personal[name] !== commitmentTo(value))
        this.faults.push(`the ${name} of entry ${number} was changed`);
  }

  #checkSigned(): void {
    const { number, hash } = this.#end;
    const signed = this.#parts.signed?.get(number);
    if (signed !== undefined && signed !== hash)
      this.faults.push(`entry ${number} or one before it differs from what was signed`);
  }
}

function changed(number: number): string {
  return `entry ${number} was changed`;
}

function missing(first: number, last: number): string {
  return first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`;
}
