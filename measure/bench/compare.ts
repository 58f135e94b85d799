import { byTurns } from './by-turns.ts';
import type { Child } from './child.ts';
import { compareCalls } from './compare-calls.ts';
import { hold } from './hold.ts';
import { flood } from './measure.ts';
import { finished } from './messages.ts';
import type { ParseCost } from './parse-cost.ts';
import { type Row, rowNamed } from './rows.ts';
import type { Subject, SubjectName } from './subjects.ts';
import type { WarmUp } from './warm-up.ts';

/** What one subject showed, round by round; a list is empty where the row doesn't measure that. */
export interface Figures {
  readonly subject: SubjectName;
  /** For a call; where streams are held, for an event. */
  readonly cpuMicros: readonly number[];
  readonly perSecond: readonly number[];
  readonly addedP50Ms: readonly number[];
  readonly addedP99Ms: readonly number[];
  readonly addedFirstTokenMs: readonly number[];
  readonly restBytes: number;
  readonly rssBytes: number;
}

export interface Comparison {
  readonly row: Row;
  readonly figures: readonly Figures[];
  /** Of the row's body, round by round. */
  readonly parsing: readonly ParseCost[];
}

export interface Field {
  readonly load: Child;
  readonly row: Row;
  /** The upstream with nobody in between. */
  readonly direct: Subject;
  readonly subjects: readonly Subject[];
  readonly warmUp: WarmUp;
  readonly rounds: number;
}

/** Opening a thousand streams takes seconds, and a window on them shows thousands of events. */
const heldRoundsMax = 3;
const warmUpSeconds = 3;

export function compare(field: Field): Promise<Comparison> {
  const { heldStreams } = field.row;
  return heldStreams === undefined ? compareCalls(field) : compareHeld(field, heldStreams);
}

/** Memory is looked at in processes that have done nothing else yet, CPU time in warm ones. */
async function compareHeld(
  { load, row, direct, subjects, rounds }: Field,
  streams: number,
): Promise<Comparison> {
  const holdOnce = async (subject: Subject) => {
    const taken = await hold({ load, subject, row }, streams);
    // Not every gateway ends a stream whose client has left, and those would go on beside the next.
    await direct.child.ask({ kind: 'finish' }, finished);
    return taken;
  };
  const cold = await byTurns(subjects, 1, holdOnce);
  for (const subject of subjects) await flood({ load, subject, row: rowNamed('stream-500') }, warmUpSeconds);
  const warm = await byTurns(subjects, Math.min(rounds, heldRoundsMax), holdOnce);
  const figures = subjects.map((subject): Figures => {
    const taken = warm.get(subject) ?? [];
    return {
      subject: subject.name,
      cpuMicros: taken.map(({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
      perSecond: taken.map(({ eventsPerSecond }) => eventsPerSecond),
      addedP50Ms: [],
      addedP99Ms: [],
      addedFirstTokenMs: [],
      restBytes: subject.restBytes,
      rssBytes: cold.get(subject)?.[0]?.rssBytes ?? Number.NaN,
    };
  });
  return { row, figures, parsing: [] };
}
