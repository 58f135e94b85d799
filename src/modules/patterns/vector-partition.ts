import { hash } from 'node:crypto';

/** The partition of one end user; patterns for all end users are in the unnamed one. */
export function vectorPartitionOf(scope: string | null): string {
  return scope === null ? '' : hash('sha256', scope, 'base64url').slice(0, 32);
}
