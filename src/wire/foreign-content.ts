import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import type { TextMark } from '../kernel/scan/scan-result.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { sanitizeFieldNames } from './dropped-fields.ts';

/** How a format finds what another maker's model left in a conversation, and replaces it. */
interface ForeignContent {
  /** A body without any of these marks has none. */
  readonly marks: readonly TextMark[];
  /** The fields of the body that change; undefined if none does. */
  replace(body: JsonObject, model: string, dropped: Set<string>): JsonObject | undefined;
}

/**
 * A request in its provider's own format is sent as it came, also if earlier answers in it are another maker's: their
 * thinking is sealed or unsigned, and the provider would reject it. This runs for every relayed call, so a body is
 * parsed only if a mark was found when it was scanned.
 */
export function createForeignContentReplacer({
  marks,
  replace,
}: ForeignContent): NonNullable<ProviderFormat['replaceForeignContent']> {
  return (body, model, received) => {
    if (received !== undefined && !mayHaveAny(received, marks)) return undefined;
    const fields = LazyJsonObject.of(body, noLimits);
    if (!mayHaveAny(fields, marks)) return undefined;
    const dropped = new Set<string>();
    const changes = replace(fields.exactOf(fields.parse()), model, dropped);
    if (changes === undefined) return undefined;
    return { body: patchJson(fields, changes), dropped: sanitizeFieldNames(dropped) };
  };
}

function mayHaveAny(fields: LazyJsonObject, marks: readonly TextMark[]): boolean {
  return marks.some((mark) => fields.mayHave(mark));
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
