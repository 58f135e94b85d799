import { commaSeparatedList } from '../lib/setting-schemas.ts';
import { limits } from './limits.ts';
import { isTagName } from './tags.ts';

/** A setting that lists names of tags. */
export const tagNames = commaSeparatedList
  .refine(
    (names) => names.every(isTagName),
    'must be names such as team,env: letters, digits and . _ - after a letter',
  )
  .refine((names) => names.length <= limits.tagsMax, `must be at most ${limits.tagsMax} names`);
