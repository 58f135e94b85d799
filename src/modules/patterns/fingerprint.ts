import { hash } from 'node:crypto';
import { limits } from './store/limits.ts';

/** A fingerprint of a lesson: its kind and its words; long words are hashed. */
export function patternFingerprint(kind: string, words: readonly string[]): string {
  const text = `${kind} ${words.join(' ')}`;
  if (text.length <= limits.patternFingerprintMax && !text.includes('\n')) return text;
  return `${kind} ${hash('sha256', text, 'base64url')}`;
}
