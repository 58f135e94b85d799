import { z } from 'zod';
import { nearestName } from '../lib/nearest-name.ts';

/** One of these built-in providers. */
export function kindSchema(names: readonly string[]) {
  return z.enum(names, {
    error: ({ input }) => {
      const nearest = nearestName(String(input), names);
      return nearest === undefined
        ? `must be one of ${names.join(', ')}`
        : `is unknown; did you mean ${nearest}?`;
    },
  });
}
