import { hash } from 'node:crypto';
import { limits } from './limits.ts';

/** A fingerprint of a lesson: its kind and its words; long words are hashed. */
export function patternFingerprint(kind: string, words: readonly string[]): string {
  const said = `${kind} ${words.join(' ')}`;
  if (said.length <= limits.patternFingerprintMax && !said.includes('\n')) return said;
  return `${kind} ${hash('sha256', said, 'base64url')}`;
}
