import { setTimeout as wait } from 'node:timers/promises';
import { chatEvents } from './answers.ts';
import { type Trial, usageOf } from './measure.ts';
import { type HoldPlan, held } from './messages.ts';

/** What a subject used while a number of streams was open. */
export interface HeldStreamFigures {
  readonly cpuMicrosPerEvent: number;
  readonly eventsPerSecond: number;
  readonly rssBytes: number;
}

const windowMs = 1000;
const eventBytes = chatEvents(4, false)[1]?.length ?? Number.NaN;

/** Opens all streams, looks for a while at what they cost, and leaves. */
export async function hold({ load, subject, row }: Trial, streams: number): Promise<HeldStreamFigures> {
  const headers = subject.headersFor(row.format);
  const plan: HoldPlan = { kind: 'hold', row: row.name, origin: subject.origin, headers, streams };
  const first = await load.ask(plan, held);
  const [before, startedMs] = [await usageOf(subject), performance.now()];
  await wait(windowMs);
  const [after, seconds] = [await usageOf(subject), (performance.now() - startedMs) / 1000];
  const last = await load.ask({ kind: 'release' }, held);
  const failed = last.failures;
  if (failed > 0) throw new Error(`${subject.name}, ${row.name}: ${failed} of ${streams} streams failed`);
  const events = (last.bytes - first.bytes) / eventBytes;
  return {
    cpuMicrosPerEvent: (after.cpuMicros - before.cpuMicros) / events,
    eventsPerSecond: events / seconds,
    rssBytes: after.rssBytes,
  };
}
