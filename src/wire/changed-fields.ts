import type { ChatRequest } from '../kernel/message.ts';

/** The top-level fields of a request that are not identical to those received. */
export function changedFields(request: ChatRequest, received: ChatRequest): readonly string[] {
  if (request === received) return [];
  const now = Object.entries(request);
  const before = new Map(Object.entries(received));
  const changed = now.filter(([field, value]) => before.get(field) !== value).map(([field]) => field);
  const present = new Set(now.map(([field]) => field));
  for (const field of before.keys()) if (!present.has(field)) changed.push(field);
  return changed;
}
