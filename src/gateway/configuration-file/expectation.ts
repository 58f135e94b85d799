import { z } from 'zod';
import type { SettingPlace } from '../../lib/settings.ts';

/** What a value must look like, for faults. */
export function expectationOf({ form, schema }: SettingPlace): string {
  if (form === 'list' || form === 'keys') return 'a list';
  if (form === 'map' || form === 'headers') return 'names with values';
  const { type, enum: choices } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (choices !== undefined) return `one of ${choices.join(', ')}`;
  return type === 'number' || type === 'integer' ? 'a number' : 'a text';
}
