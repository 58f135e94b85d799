import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import type { EncodedRequest } from '../kernel/wire-format.ts';
import { exactBody, isJsonObject, type JsonObject } from '../lib/json.ts';
import { sanitizeFieldNames } from './dropped-fields.ts';

/** How a format finds what another maker's model left in a conversation, and replaces it. */
interface ForeignContent {
  /** A body without any of these texts has none. */
  readonly marks: readonly string[];
  /** The fields of the body that change; undefined if none does. */
  replace(body: JsonObject, model: string, dropped: Set<string>): JsonObject | undefined;
}

/**
 * A request in its provider's own format is sent as it came, also if earlier answers in it are another maker's: their
 * thinking is sealed or unsigned, and the provider would reject it. This runs for every relayed call, so a body is
 * searched before it is parsed.
 */
export function createForeignContentReplacer({
  marks,
  replace,
}: ForeignContent): (body: Uint8Array, model: string) => EncodedRequest | undefined {
  const needles = marks.map((mark) => Buffer.from(mark));
  return (body, model) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!needles.some((needle) => bytes.includes(needle))) return undefined;
    const fields = LazyJsonObject.of(bytes, noLimits);
    const dropped = new Set<string>();
    const changes = replace(exactBody(fields.parse(), bytes), model, dropped);
    if (changes === undefined) return undefined;
    return { body: patchJson(fields, changes), dropped: sanitizeFieldNames(dropped) };
  };
}

/** The body was checked when it arrived. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };

/** Maps the objects of a list, to none if they disappear; the same list if all stay the same. */
export function mapObjects(list: unknown, map: (object: JsonObject) => JsonObject | undefined): unknown {
  if (!Array.isArray(list)) return list;
  const mapped: readonly unknown[] = list.flatMap((item) =>
    isJsonObject(item) ? (map(item) ?? []) : [item],
  );
  return mapped.length === list.length && mapped.every((item, at) => item === list[at]) ? list : mapped;
}
