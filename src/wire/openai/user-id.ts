import { createHash } from 'node:crypto';
import { stringOf } from '../json-values.ts';

/** OpenAI takes names of users up to 64 characters; a longer one becomes one that is as telling and fits. */
export function toOpenaiUserId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id.length <= 64) return stringOf(id);
  return createHash('sha256').update(id).digest('hex');
}
