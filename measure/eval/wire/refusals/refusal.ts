import type { JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf } from '../../../../src/wire/json-values.ts';
import type { RequestOutline } from '../asked/asked.ts';
import type { Target } from '../targets.ts';

/** Something that a provider is known to refuse: by its reference, or by the words in which it does. */
export interface Refusal {
  readonly what: string;
  readonly models?: RegExp;
  refused(body: JsonObject, asked: RequestOutline): boolean;
}

/** What the provider would have said to the request as it got it; `client` is what the client said. */
export function refusalsOf(
  rules: readonly Refusal[],
  target: Target,
  sent: { readonly body: JsonObject; readonly asked: RequestOutline },
  client: RequestOutline,
): readonly string[] {
  const { body, asked } = sent;
  const found = rules.filter(
    ({ models, refused }) => models?.test(target.model) !== false && refused(body, asked),
  );
  return found
    .filter(({ what }) => what !== unpaired || isPaired(client))
    .map(({ what }) => `${target.provider} refuses: ${what}`);
}

/** Held against a request only where the client's own calls have their results. */
export const unpaired = 'calls without their results, or results without their calls';

export function isPaired({ turns }: RequestOutline): boolean {
  return turns.every(({ side, calls, results }, at) => {
    if (side === 'user') return results.length === 0 || at > 0;
    const next = turns[at + 1]?.results.map(({ id }) => id) ?? [];
    const made = calls.map(({ id }) => id);
    return made.toSorted().join() === next.toSorted().join() && new Set(made).size === made.length;
  });
}

export function hasFieldsBeyond(object: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(object).some((field) => !known.has(field));
}

export function messagesOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body.messages);
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Set to something else than what it is anyway. */
export function isSteered(value: unknown): boolean {
  return isSet(value) && numberOf(value) !== 1;
}

export function hasTools(body: JsonObject): boolean {
  return objectsOf(body.tools).length > 0;
}

/** Every object in a schema closed, all properties required: what strict modes insist on. */
export function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  const object = objectOf(schema);
  if (object === undefined) return true;
  const { type, properties, required } = object;
  const names = Object.keys(objectOf(properties) ?? {});
  const all = names.every((name) => Array.isArray(required) && required.includes(name));
  if ((type === 'object' || names.length > 0) && (object.additionalProperties !== false || !all))
    return false;
  return Object.values(object).every(isClosed);
}
