import { isJsonObject } from '../../../src/lib/json.ts';
import { outcomeOf } from './outcome.ts';
import type { Recording } from './recordings.ts';

/** Recordings that prove nothing here, by what they are. */
interface Exclusion {
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
  {
    what: 'requests whose body is no JSON',
    why: 'nothing can be said about how they are read',
    matches: ({ body }) => !isJsonObject(body),
  },
  {
    what: 'answers that are not what their type says',
    why: 'there is nothing to compare with; the tests have broken answers of their own',
    matches: (recording) => !isReadable(recording),
  },
];

export function exclusionOf(recording: Recording): Exclusion | undefined {
  return exclusions.find((exclusion) => exclusion.matches(recording));
}

function isReadable(recording: Recording): boolean {
  try {
    outcomeOf(recording);
    return true;
  } catch {
    return false;
  }
}
