import { z } from 'zod';

/** The text of an option that is a duration, as `parseDuration` reads it. Editors check its form. */
export function durationText() {
  return z.string().meta({ pattern: '^\\s*[0-9]{1,9}(ms|s|m|h|d)\\s*$' });
}
