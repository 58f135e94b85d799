import { isJsonObject } from '../../lib/json.ts';
import type { Usage } from '../message.ts';

/** The total usage of several answers: adds counts, joins lists, and takes the last value of everything else. */
export function addUsage(before: Usage, more: Usage): Usage {
  return addFields({ ...before }, { ...more });
}

function addFields(
  before: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const sum: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(more)) {
    const known = sum[name];
    if (typeof value === 'number' && typeof known === 'number') sum[name] = known + value;
    else if (Array.isArray(value) && Array.isArray(known)) sum[name] = [...known, ...value];
    else if (isJsonObject(value) && isJsonObject(known)) sum[name] = addFields(known, value);
    else if (value != null) sum[name] = value;
  }
  return sum;
}
