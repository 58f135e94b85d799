import { hash } from 'node:crypto';

/** The module that owns the vectors of patterns. */
export const patternsModule = 'patterns';

/** The partition of one end user; patterns for all end users are in the unnamed one. */
export function vectorPartitionOf(scope: string | null): string {
  return scope === null ? '' : hash('sha256', scope, 'base64url').slice(0, 32);
}
