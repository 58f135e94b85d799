import type { Exchange } from '../../kernel/exchange.ts';
import type { RelayRequest } from '../../kernel/relay.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { mapItems } from '../../lib/map-items.ts';
import { JsonTextMapper } from './json-text-mapper.ts';
import type { MapText, RequestText, TextPlace, UnscannedPart } from './text-place.ts';

/**
 * The fields of a relayed request, JSON or a form that has arrived, whose texts change when each is mapped. Every string counts as text but names and settings.
 * Calls `onUnscanned` for media and lists of tokens.
 */
export function mapRelayTexts(
  { clientRequest }: Pick<Exchange, 'clientRequest'>,
  relay: RelayRequest,
  mapText: MapText,
  onUnscanned: (part: UnscannedPart) => void = () => undefined,
): JsonObject {
  const { route, changes, form } = relay;
  const json = new JsonTextMapper(mapText, onUnscanned);
  const content = new ContentMapper(json, onUnscanned);
  const changed: [string, unknown][] = [];
  for (const [name, value] of Object.entries({ ...(form?.texts ?? clientRequest.exactBody), ...changes })) {
    if (settings.has(name)) continue;
    const field = route.texts?.request[name];
    const mapped =
      field === undefined
        ? content.map(value, { field: 'other', name })
        : mapInputs(value, name, relay, (input, inputIndex) =>
            content.map(input, { ...placeOf(field), ...(inputIndex !== undefined && { inputIndex }) }),
          );
    if (mapped !== value) changed.push([name, mapped]);
  }
  return Object.fromEntries(changed);
}

/** All texts of a relayed request with their places, and what can't be read in it. */
export function relayTexts(
  exchange: Pick<Exchange, 'clientRequest'>,
  relay: RelayRequest,
): { readonly texts: readonly RequestText[]; readonly unscanned: readonly UnscannedPart[] } {
  const texts: RequestText[] = [];
  const unscanned: UnscannedPart[] = [];
  const add: MapText = (text, place) => {
    texts.push({ ...place, text });
    return text;
  };
  mapRelayTexts(exchange, relay, add, (part) => unscanned.push(part));
  const { form, route } = relay;
  if (form !== undefined && form.files > 0)
    unscanned.push({ kind: route.texts?.files ?? 'file', field: 'other' });
  return { texts, unscanned };
}

/** Where a list of inputs is answered one by one, the index says which one a text belongs to. */
function mapInputs(
  value: unknown,
  name: string,
  { route, fields }: RelayRequest,
  map: (input: unknown, inputIndex?: number) => unknown,
): unknown {
  if (route.inputList === undefined || !Object.hasOwn(route.inputList.fieldsFor([]), name)) return map(value);
  const isList = Array.isArray(value) && route.inputList.inputsOf(fields)?.length === value.length;
  return isList ? mapItems(value, (input, at) => map(input, at)) : map(value, 0);
}

function placeOf(field: 'message' | 'document'): TextPlace {
  return field === 'message' ? { field, role: 'user' } : { field };
}

/** Maps what a model reads: texts, and objects of texts and media. */
class ContentMapper {
  readonly #json: JsonTextMapper;
  readonly #onUnscanned: (part: UnscannedPart) => void;

  constructor(json: JsonTextMapper, onUnscanned: (part: UnscannedPart) => void) {
    this.#json = json;
    this.#onUnscanned = onUnscanned;
  }

  map(value: unknown, place: TextPlace): unknown {
    if (typeof value === 'string')
      return value.startsWith('data:')
        ? this.#json.map(value, place, 'url')
        : this.#json.mapData(value, place);
    if (Array.isArray(value)) {
      if (!value.some(isNumber)) return mapItems(value, (item) => this.map(item, place));
      this.#onUnscanned({ kind: 'tokens', ...place });
      return mapItems(value, (item) => (isNumber(item) ? item : this.map(item, place)));
    }
    return isJsonObject(value) && hasMedia(value)
      ? this.#mapObject(value, place)
      : this.#json.mapData(value, place);
  }

  #mapObject(object: JsonObject, place: TextPlace): JsonObject {
    const entries = Object.entries(object);
    const mapped = mapItems<readonly [string, unknown]>(entries, (entry) => {
      const [name, value] = entry;
      const inner = isMedia(name, value)
        ? this.#mapMedia(name, value, place)
        : this.map(value, { ...place, name });
      const [sameName = name] = Object.keys(this.#json.mapData({ [name]: null }, place));
      return inner === value && sameName === name ? entry : [sameName, inner];
    });
    return mapped === entries ? object : Object.fromEntries(mapped);
  }

  /** Addresses, and what an object has beside its bytes, are texts. */
  #mapMedia(name: string, value: unknown, place: TextPlace): unknown {
    this.#onUnscanned({ kind: kindOfMedia(name), ...place });
    if (isJsonObject(value)) return this.#mapObject(value, place);
    return typeof value === 'string' && isAddress(value) ? this.#json.map(value, place, 'url') : value;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value);
}

function hasMedia(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMedia);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, inner]) => isMedia(name, inner) || hasMedia(inner));
}

/** A text in a field with the name of a medium is a text: only addresses and encoded bytes are media. */
function isMedia(name: string, value: unknown): boolean {
  if (!mediaNames.test(name)) return false;
  return typeof value === 'string' ? isAddress(value) || encodedBytes.test(value) : isJsonObject(value);
}

function isAddress(text: string): boolean {
  return /^(?:data:|https?:\/\/)\S*$/i.test(text);
}

function kindOfMedia(name: string): UnscannedPart['kind'] {
  const kind = name.replace(/^input_/, '').split('_')[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

const mediaNames = /^(?:input_)?(?:image|audio|video|pdf|document|file)(?:_url|_base64|_file|_data)?$/;
const encodedBytes = /^[A-Za-z0-9+/_-]{32,}={0,2}$/;

/** Fields with names and settings. */
const settings: ReadonlySet<string> = new Set(
  `model stream voice response_format stream_format encoding_format output_dtype output_format input_type embedding_type embedding_types
  truncate task size quality style background moderation input_fidelity rank_fields language timestamp_granularities include`.split(
    /\s+/,
  ),
);
