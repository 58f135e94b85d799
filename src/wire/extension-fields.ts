import type { JsonObject } from '../lib/json.ts';

/** Collects what has no canonical equivalent while a request is decoded: by field or by path. */
export interface ExtensionFields {
  readonly optional: Record<string, unknown>;
  readonly essential: Record<string, unknown>;
  /** Number of JSON values inside strings that were parsed. */
  readonly embeddedJson: { values: number };
}

interface FieldRules {
  readonly isEssential: (field: string, value: unknown) => boolean;
  /** Fields with a canonical equivalent. */
  readonly translated: ReadonlySet<string>;
}

/** Fields without a canonical equivalent, split by whether omitting them would change the answer. */
export function collectExtensionFields(
  body: JsonObject,
  { isEssential, translated }: FieldRules,
): ExtensionFields {
  const optional: Record<string, unknown> = {};
  const essential: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    if (isEssential(field, value)) essential[field] = value;
    else if (!translated.has(field)) optional[field] = value;
  }
  return { optional, essential, embeddedJson: { values: 0 } };
}
