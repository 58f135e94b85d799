import { createHash } from 'node:crypto';
import { stringOf } from '../read.ts';

/** OpenAI takes names of users up to 64 characters; a longer one becomes one that is as telling and fits. */
export function fittingUserId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id.length <= 64) return stringOf(id);
  return createHash('sha256').update(id).digest('hex');
}
