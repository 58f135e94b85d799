import type { Recording } from './recordings.ts';

/** Recordings that prove nothing here, by what they are. */
export interface Exclusion {
  readonly what: string;
  readonly why: string;
  matches(recording: Recording): boolean;
}

export const exclusions: readonly Exclusion[] = [
  {
    what: 'calls to other endpoints of the same API',
    why: 'retrieving, compacting and counting are routes of their own, with other bodies',
    matches: ({ method, path, format }) => method !== 'POST' || !format.endpoint.test(path),
  },
];
