import type { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { RenderedPrompt } from '../kernel/prompt.ts';
import type { JsonObject } from '../lib/json.ts';

type Changes = Map<string, Uint8Array | undefined>;

/** Collects the fields of a call that change when a prompt comes before what the client sends. */
export class PromptFields {
  readonly changes: Changes = new Map();
  readonly #fields: LazyJsonObject;

  constructor(fields: LazyJsonObject) {
    this.#fields = fields;
  }

  set(name: string, value: unknown): void {
    this.changes.set(name, jsonOf(value));
  }

  /** For settings, where the client's own win. */
  setDefault(name: string, value: unknown): void {
    if (value !== undefined && !this.#fields.has(name)) this.set(name, value);
  }

  /** Puts items before those of a list, which keep their bytes. Anything but a list stays for the format to reject. */
  prepend(name: string, items: readonly JsonObject[]): void {
    if (items.length === 0) return;
    const own = this.#fields.bytesOf(name);
    const added = jsonOf(items);
    if (own === undefined || own.equals(nullText)) this.changes.set(name, added);
    if (own?.[0] !== openBracket) return;
    const inner = own.subarray(1, -1);
    const isEmpty = inner.every((byte) => byte <= space);
    this.changes.set(name, isEmpty ? added : Buffer.concat([added.subarray(0, -1), comma, inner, closing]));
  }

  /** Puts instructions before the client's, for formats with one text. */
  prependText(name: string, text: string | undefined): void {
    if (text === undefined || text === '') return;
    const own = this.#fields.get(name);
    if (own == null || own === '') this.set(name, text);
    else if (typeof own === 'string') this.set(name, `${text}\n\n${own}`);
  }
}

/** The sampling settings that most formats have. */
export function samplingOf({ temperature, topP }: RenderedPrompt): JsonObject {
  return { temperature, top_p: topP };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

const nullText = Buffer.from('null');
const openBracket = 91;
const space = 32;
const comma = Buffer.from(',');
const closing = Buffer.from(']');
