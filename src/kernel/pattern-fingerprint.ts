import { hash } from 'node:crypto';
import { limits } from './limits.ts';

/** A name for what a lesson says: its kind and its words, of which those too long to be kept are a hash. */
export function patternFingerprint(kind: string, words: readonly string[]): string {
  const said = `${kind} ${words.join(' ')}`;
  if (said.length <= limits.patternFingerprintMax && !said.includes('\n')) return said;
  return `${kind} ${hash('sha256', said, 'base64url')}`;
}
