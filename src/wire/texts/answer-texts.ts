import type { RelayTexts } from '../../kernel/relay.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { mapFields, mapItems, mapStrings } from '../../lib/map-items.ts';

/** Maps pieces of one text, in their order, to as many others. */
export type MapPieces = (pieces: readonly string[]) => readonly string[];

/** JSON answers, or events of a stream, with their texts mapped; an answer in which none changes is the same object. */
export function mapAnswerTexts(
  answers: readonly JsonObject[],
  { answer: fields = [], isContinuous }: RelayTexts,
  map: MapPieces,
): readonly JsonObject[] {
  const sequences = new Map<string, string[]>();
  const walk = (onText: (sequence: string, text: string) => string) => {
    const walker = new TextWalker(new Set(fields), isContinuous === true, onText);
    return mapItems(answers, (answer) => walker.mapAnswer(answer));
  };
  walk((name, text) => {
    const sequence = sequences.get(name) ?? [];
    sequence.push(text);
    sequences.set(name, sequence);
    return text;
  });
  const mapped = new Map([...sequences].map(([name, pieces]) => [name, map(pieces).values()]));
  return walk((name, text) => mapped.get(name)?.next().value ?? text);
}

/** Finds the texts of answers, always in the same order. Those of one sequence are pieces of one text. */
class TextWalker {
  readonly #fields: ReadonlySet<string>;
  readonly #isContinuous: boolean;
  readonly #onText: (sequence: string, text: string) => string;
  /** Events of one type are one answer in parts. */
  #type = '';
  #texts = 0;

  constructor(
    fields: ReadonlySet<string>,
    isContinuous: boolean,
    onText: (sequence: string, text: string) => string,
  ) {
    this.#fields = fields;
    this.#isContinuous = isContinuous;
    this.#onText = onText;
  }

  mapAnswer(answer: JsonObject): JsonObject {
    this.#type = String(answer.type);
    return this.#mapObject(answer, '');
  }

  #map(value: unknown, list: string): unknown {
    if (Array.isArray(value)) return mapItems(value, (item) => this.#map(item, list));
    return isJsonObject(value) && !JSON.isRawJSON(value) ? this.#mapObject(value, list) : value;
  }

  /** Lists with the same name are one, such as the words of all segments. */
  #mapObject(object: JsonObject, list: string): JsonObject {
    const mapped = mapFields(object, (name, inner) => {
      if (!this.#fields.has(name)) return this.#map(inner, name);
      const isPiece = this.#isContinuous && typeof inner === 'string';
      return mapStrings(inner, (text) =>
        this.#onText(isPiece ? `${this.#type} ${list} ${name}` : `${this.#texts++}`, text),
      );
    });
    return mapped === object ? object : withoutEncodings(mapped, object);
  }
}

/** Bytes and numbers of tokens beside a text say the same. */
function withoutEncodings(mapped: JsonObject, { token, text }: JsonObject): JsonObject {
  if (Array.isArray(mapped.bytes) && typeof mapped.token === 'string' && mapped.token !== token)
    return { ...mapped, bytes: [...Buffer.from(mapped.token)] };
  return Array.isArray(mapped.tokens) && mapped.text !== text ? { ...mapped, tokens: [] } : mapped;
}
