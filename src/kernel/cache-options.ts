import { z } from 'zod';
import { parseDuration } from '../lib/duration.ts';
import { durationText } from './duration-text.ts';

/** Options of all answer caches. */
export const ttlOption = durationText()
  .transform((text, context) => {
    const seconds = parseDuration(text);
    if (seconds !== undefined && seconds >= 1 && seconds <= 30 * 86_400) return seconds;
    context.addIssue('must be a duration from 1s to 30d');
    return z.NEVER;
  })
  .describe('How long an answer is cached, from 1s to 30d')
  .prefault('1h');

export const cacheScopeOption = z
  .enum(['person', 'account'], 'must be person or account')
  .describe('Who cached answers are shared with: the same end user (`person`), or the whole `account`')
  .default('person');

export const cachedBytesOption = z.coerce
  .number('must be a number of bytes')
  .int()
  .min(1)
  .max(16 * 1024 * 1024)
  .describe('Larger answers are not cached')
  .default(1024 * 1024);
