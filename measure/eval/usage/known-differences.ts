import type { Recording } from '../wire/recordings.ts';
import type { Counts } from './counts.ts';

/** Calls whose own figures contradict each other, with what we make of them. */
export interface KnownDifference {
  readonly why: string;
  matches(recording: Recording, reported: Counts): boolean;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    why: 'the same tokens are counted as read from the cache and as written to it; they were sent once, and count as read',
    matches: ({ provider }, { input }) => provider === 'openrouter' && input < 0,
  },
];
