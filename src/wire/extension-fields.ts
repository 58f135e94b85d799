import type { JsonObject } from '../kernel/json.ts';

/** Gathers, while a request is read, what the canonical shape has no place for: by field, or by where it stood. */
export interface ExtensionFields {
  readonly optional: Record<string, unknown>;
  readonly essential: Record<string, unknown>;
  /** Values of JSON that stood in strings and was read as well. */
  readonly embeddedJson: { values: number };
}

interface FieldRules {
  readonly isEssential: (field: string, value: unknown) => boolean;
  /** Fields that have a canonical name. */
  readonly translated: ReadonlySet<string>;
}

/** Fields that have no canonical name, sorted by whether an answer without them would still be the answer asked for. */
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
