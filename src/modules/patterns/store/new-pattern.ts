import { createHash, randomBytes } from 'node:crypto';
import type { Pattern, PatternTrigger } from '../pattern.ts';

/** The fields of a pattern that a person writes. */
export interface PatternFields {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly state: Pattern['state'];
  readonly scope: string | null;
}

export function newPattern(
  fields: PatternFields & Pick<Pattern, 'origin' | 'fingerprint'>,
  what: string,
  atMs: number,
): Pattern {
  return {
    id: `pat_${atMs.toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`,
    ...fields,
    wins: 0,
    losses: 0,
    without: { wins: 0, losses: 0 },
    evidence: [],
    seenIn: [],
    wonIn: [],
    story: [{ atMs, what }],
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
}

/** A fingerprint of the words of a pattern, ignoring punctuation. */
export function fingerprintOf({ trigger, advice }: Pick<Pattern, 'trigger' | 'advice'>): string {
  const texts = [
    trigger.text,
    [...trigger.tools].sort().join(' '),
    [...trigger.models].sort().join(' '),
    advice,
  ];
  const words = texts.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  );
  return `text ${createHash('sha256').update(words.join('\n')).digest('base64url')}`;
}
