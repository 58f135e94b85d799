import type { JsonObject } from '../../lib/json.ts';
import { mapItems } from '../../lib/map-items.ts';
import { limits } from '../limits.ts';
import { attachOriginals, originalsOf } from '../originals.ts';
import { JsonTextMapper } from './json-text-mapper.ts';
import type { MapText, TextPlace } from './text-place.ts';

/**
 * Maps the wire objects that messages, blocks and tools were decoded from, together with these. They are sent in place
 * of their canonical form, and may have further texts.
 */
export class OriginalTexts {
  readonly #mapText: MapText;
  /** The texts of the values that are being mapped, from the outermost to the innermost. */
  readonly #open: MappedTexts[] = [];

  constructor(mapText: MapText) {
    this.#mapText = mapText;
  }

  /** Maps a text of the canonical form. */
  readonly mapText: MapText = (text, place) => {
    const mapped = this.#mapText(text, place);
    for (const { results } of this.#open)
      if (mapped !== text || !results.has(text)) results.set(text, mapped);
    return mapped;
  };

  /** Call when a value loses a part: its wire objects still have it. */
  partOmitted(): void {
    for (const open of this.#open) open.isIncomplete = true;
  }

  /** `map` maps the canonical form. */
  map<Value extends object | undefined>(value: Value & object, place: TextPlace, map: () => Value): Value {
    const originals = originalsOf(value);
    if (originals === undefined) return map();
    const texts: MappedTexts = { results: new Map(), isIncomplete: false };
    this.#open.push(texts);
    const mapped = map();
    this.#open.pop();
    if (mapped === undefined || texts.isIncomplete) return mapped;
    const written = this.#mapOriginals(originals, texts, place);
    if (mapped === value && written === originals) return value;
    const copy: Value & object = mapped === value ? { ...value } : mapped;
    return written === undefined ? copy : attachOriginals(copy, written);
  }

  /** Undefined if they would not say the same as the canonical form. */
  #mapOriginals(
    originals: readonly JsonObject[],
    { results }: MappedTexts,
    place: TextPlace,
  ): readonly JsonObject[] | undefined {
    const unseen = new Map([...results].filter(([text, mapped]) => mapped !== text));
    const json = new JsonTextMapper((text, at) => {
      unseen.delete(text);
      const mapped = results.get(text) ?? this.mapText(text, at);
      results.set(text, mapped);
      return mapped;
    });
    const written = mapItems(originals, (original) => json.map(original, place));
    if (originals.length === 0) return originals;
    for (const [text, mapped] of unseen) {
      const value = parseOrUndefined(text);
      const isJson = value !== undefined && JSON.stringify(json.mapData(value, place)) === mapped;
      if (!isJson && replaceParts(text, results) !== mapped) return undefined;
    }
    return written;
  }
}

interface MappedTexts {
  readonly results: Map<string, string>;
  isIncomplete: boolean;
}

/** A result that is an object in its own format is JSON in the canonical form. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A canonical text may be joined from several, of which each was mapped by itself. */
function replaceParts(text: string, results: ReadonlyMap<string, string>): string {
  if (results.size > limits.joinedTextsMax) return text;
  let replaced = text;
  for (const [part, mapped] of results)
    if (part !== '' && part !== text && part !== mapped) replaced = replaced.replaceAll(part, () => mapped);
  return replaced;
}
