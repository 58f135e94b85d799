import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { mapFields, mapItems } from '../../lib/map-items.ts';
import { parseExactObject } from '../json-values.ts';
import { isTextType, mapBase64Text, mapUrl, unscannedKindOf } from './media-texts.ts';
import {
  dataFields,
  encryptedTypes,
  exampleFields,
  keptInSchemas,
  keptStrings,
  keptTrees,
  placeIn,
  schemaFields,
  stringFields,
  unscannedStrings,
  urlFields,
} from './text-fields.ts';
import type { MapText, TextPlace, UnscannedPart } from './text-place.ts';

/**
 * Maps the strings in JSON of any wire format. Every string counts as text except those that `text-fields.ts` lists, so
 * that no field is missed that providers add. Unchanged values stay the same objects.
 */
export class JsonTextMapper {
  readonly #mapText: MapText;
  readonly #onUnscanned: (part: UnscannedPart) => void;

  constructor(mapText: MapText, onUnscanned: (part: UnscannedPart) => void = () => undefined) {
    this.#mapText = mapText;
    this.#onUnscanned = onUnscanned;
  }

  /** Content, tools or settings in a format's own shape; `name` is the field that they are in. */
  map<Value>(value: Value, place: TextPlace, name = ''): Value {
    return this.#mapField(name, value, {}, place) as Value;
  }

  /** Data of clients, such as the arguments of a tool: every string in it, and every long number, which may be one of a card or a phone. */
  mapData<Value>(value: Value, place: TextPlace): Value {
    return this.#mapValue(value, place) as Value;
  }

  #mapValue(value: unknown, place: TextPlace, name?: string): unknown {
    const at = () => (name === undefined ? place : { ...place, name });
    if (typeof value === 'string') return this.#mapText(value, at());
    if (Array.isArray(value)) return mapItems(value, (item) => this.#mapValue(item, place, name));
    if (isJsonObject(value) && !JSON.isRawJSON(value))
      return this.#mapNames(
        mapFields(value, (field, inner) => this.#mapValue(inner, place, field)),
        place,
      );
    const number = digitsOf(value);
    if (number === undefined) return value;
    const mapped = this.#mapText(number, at());
    return mapped === number ? value : mapped;
  }

  /** Names of fields are texts if clients choose them. */
  #mapNames(object: JsonObject, place: TextPlace): JsonObject {
    const names = Object.keys(object);
    const mapped = mapItems(names, (name) =>
      name.length < nameCharactersMin ? name : this.#mapText(name, place),
    );
    if (mapped === names) return object;
    return Object.fromEntries(Object.values(object).map((value, at) => [mapped[at], value]));
  }

  #mapField(name: string, value: unknown, parent: JsonObject, place: TextPlace): unknown {
    if (typeof value === 'string') return this.#mapString(name, value, parent, place);
    if (keptTrees.has(name)) return value;
    if (Array.isArray(value)) {
      if (keptStrings.has(name) && value.every((item) => typeof item === 'string')) return value;
      return mapItems(value, (item) => this.#mapField(name, item, parent, place));
    }
    if (!isJsonObject(value) || JSON.isRawJSON(value)) return value;
    const isSchema = schemaFields.has(name) || (name === 'response' && place.field === 'tool-description');
    if (isSchema) return this.#mapSchema(value, place);
    if (name === 'prompt' && 'id' in value) this.#skip('stored', place);
    const inner = placeIn(value, name, place);
    if (dataFields.has(name)) return this.mapData(value, inner);
    return this.#mapObject(value, inner);
  }

  #mapObject(object: JsonObject, place: TextPlace): JsonObject {
    const { type } = object;
    const file = fileKindOf(object);
    if (type === 'url') this.#skip(place.field === 'document' ? 'document' : 'image', place);
    if (type === 'item_reference') this.#skip('stored', place);
    return mapFields(object, (name, value) => {
      if (typeof value !== 'string') return this.#mapField(name, value, object, place);
      if (name === 'data' && file !== undefined) return this.#mapFile(value, file, place);
      if (name !== 'result' || type !== 'image_generation_call')
        return this.#mapField(name, value, object, place);
      this.#skip('image', place);
      return value;
    });
  }

  #mapFile(data: string, { mediaType, isPlain }: FileKind, place: TextPlace): string {
    const inFile: TextPlace = { ...place, field: 'document' };
    if (isPlain) return this.#mapText(data, inFile);
    if (isTextType(mediaType)) return mapBase64Text(data, (text) => this.#mapText(text, inFile));
    this.#skip(unscannedKindOf(mediaType), place);
    return data;
  }

  #mapString(name: string, text: string, parent: JsonObject, place: TextPlace): string {
    const kind =
      name === 'data' && encryptedTypes.has(parent.type) ? 'encrypted' : unscannedStrings.get(name);
    if (kind !== undefined) this.#skip(kind, place);
    // The name of a person in a conversation is text, the name of a tool is not.
    const isName = name === 'name' && !speakers.has(parent.role);
    if (kind !== undefined || isName || keptStrings.has(name)) return text;
    if (name === 'arguments') return this.#mapArguments(text, { ...place, field: 'tool-arguments' });
    const field = stringFields.get(name) ?? place.field;
    const at = field === place.field ? place : { ...place, field };
    return urlFields.has(name) ? this.#mapUrl(text, at) : this.#mapText(text, at);
  }

  /** Arguments are JSON in a string; a model may also have written something else. */
  #mapArguments(text: string, place: TextPlace): string {
    const read = parseExactObject(text);
    if (read === undefined) return this.#mapText(text, place);
    const mapped = this.mapData(read, place);
    return mapped === read ? text : JSON.stringify(mapped);
  }

  #mapUrl(url: string, place: TextPlace): string {
    const mapped = mapUrl(url, (text) => this.#mapText(text, place));
    if (mapped === undefined) this.#skip(unscannedKindOf(url.slice('data:'.length, 40)), place);
    return mapped ?? url;
  }

  /** A JSON Schema, whose property names may be like those of the fields below. */
  #mapSchema(schema: JsonObject, place: TextPlace): JsonObject {
    return mapFields(schema, (name, value) => {
      if (exampleFields.has(name)) return this.mapData(value, place);
      if (typeof value === 'string') return keptInSchemas.has(name) ? value : this.#mapText(value, place);
      if (Array.isArray(value) && !keptInSchemas.has(name))
        return mapItems(value, (item) => (isJsonObject(item) ? this.#mapSchema(item, place) : item));
      return isJsonObject(value) && !JSON.isRawJSON(value) ? this.#mapSchema(value, place) : value;
    });
  }

  #skip(kind: UnscannedPart['kind'], { isSigned: _, ...place }: TextPlace): void {
    this.#onUnscanned({ kind, ...place });
  }
}

/** Shorter names identify nobody. */
const nameCharactersMin = 8;

/** The digits of a number that is long enough to identify somebody; it may be raw JSON, if it is longer than a number can be. */
function digitsOf(value: unknown): string | undefined {
  const text = JSON.isRawJSON(value) ? JSON.stringify(value) : String(value);
  return typeof value !== 'boolean' && /^\d{7,}$/.test(text) ? text : undefined;
}

const speakers: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

interface FileKind {
  readonly mediaType: string;
  /** Whether its data is the text itself. */
  readonly isPlain: boolean;
}

/** What `data` of an object is, if it has a media type or an audio format. */
function fileKindOf({ type, media_type, mime_type, mimeType, format }: JsonObject): FileKind | undefined {
  const mediaType = media_type ?? mime_type ?? mimeType;
  if (typeof mediaType === 'string') return { mediaType, isPlain: type === 'text' };
  return typeof format === 'string' ? { mediaType: `audio/${format}`, isPlain: false } : undefined;
}
