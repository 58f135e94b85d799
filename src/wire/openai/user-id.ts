import { createHash } from 'node:crypto';
import { stringOf } from '../json-values.ts';

/** OpenAI accepts user ids of up to 64 characters; a longer one is replaced by its hash. */
export function toOpenaiUserId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id.length <= 64) return stringOf(id);
  return createHash('sha256').update(id).digest('hex');
}
