import { hash } from 'node:crypto';

/** The module whose vectors patterns are found by. */
export const patternsModule = 'patterns';

/** Where those of one end user are kept apart; of all end users, in the part without a name. */
export function vectorPartitionOf(scope: string | null): string {
  return scope === null ? '' : hash('sha256', scope, 'base64url').slice(0, 32);
}
