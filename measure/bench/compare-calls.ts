import { setTimeout as wait } from 'node:timers/promises';
import { byTurns } from './by-turns.ts';
import type { Comparison, Field, Figures } from './compare.ts';
import { calm, flood, usageOf } from './measure.ts';
import type { Measurement } from './messages.ts';
import { parseCost } from './parse-cost.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subjects.ts';

/** Many short rounds: the median of their ratios is steadier than that of a few long ones. */
const floodSeconds = 0.4;
const calmSeconds = 0.3;
/** Usage and log are written up to a second after a call; that is part of what it costs. */
const afterworkMs = 1100;

/** CPU time under as many calls as a subject can take, then latency under a few. */
export async function compareCalls(field: Field): Promise<Comparison> {
  const { load, row, direct, subjects, warmUp, rounds } = field;
  for (const subject of subjects) await warmUp.for({ load, subject, row });
  if (row.baseline === 'hello') await Promise.all(subjects.map((subject) => checkHit(subject, row)));
  const flooded = await floodByTurns(field);
  const parsing = row.parsed ? Array.from({ length: rounds }, () => parseCost(row.call.body)) : [];
  const [base = direct] = subjects.filter(({ name }) => name === 'hello');
  const calls = await byTurns([base, ...subjects.filter((subject) => subject !== base)], rounds, (subject) =>
    calm({ load, subject, row }, calmSeconds),
  );
  checkAnswers(row.name, calls);
  const figures: Figures[] = [];
  for (const subject of subjects) {
    const added = addedTo(calls.get(base) ?? [], calls.get(subject) ?? []);
    figures.push({
      subject: subject.name,
      ...(flooded.get(subject) ?? { cpuMicros: [], perSecond: [] }),
      addedP50Ms: subject === base ? [] : added(({ p50Ms }) => p50Ms),
      addedP99Ms: subject === base ? [] : added(({ p99Ms }) => p99Ms),
      addedFirstTokenMs: row.streamed ? added(({ firstTokenMs }) => firstTokenMs) : [],
      restBytes: subject.restBytes,
      rssBytes: (await usageOf(subject)).rssBytes,
    });
  }
  return { row, figures, parsing };
}

type FloodFigures = Pick<Figures, 'cpuMicros' | 'perSecond'>;

/** A round's CPU time runs until the subject's next turn, so that what it puts off while it is busy counts too. */
async function floodByTurns({
  load,
  row,
  subjects,
  rounds,
}: Field): Promise<ReadonlyMap<Subject, FloodFigures>> {
  const turns = await byTurns(subjects, rounds, async (subject) => {
    const { cpuMicros } = await usageOf(subject);
    return { startedAt: cpuMicros, result: await flood({ load, subject, row }, floodSeconds) };
  });
  await wait(afterworkMs);
  const flooded = new Map<Subject, FloodFigures>();
  for (const [subject, taken] of turns) {
    const { cpuMicros: last } = await usageOf(subject);
    flooded.set(subject, {
      cpuMicros: taken.map(
        ({ startedAt, result }, round) => ((taken[round + 1]?.startedAt ?? last) - startedAt) / result.calls,
      ),
      perSecond: taken.map(({ result }) => result.calls / result.seconds),
    });
  }
  return flooded;
}

function addedTo(base: readonly Measurement[], own: readonly Measurement[]) {
  return (pick: (of: Measurement) => number): readonly number[] =>
    own.map((measured, round) => {
      const below = base[round];
      return below === undefined ? Number.NaN : pick(measured) - pick(below);
    });
}

/** A cache that asked the upstream all the same would be compared with the wrong thing. */
async function checkHit({ name, origin, headersFor }: Subject, { call, format }: Row): Promise<void> {
  if (name === 'hello') return;
  const headers = { 'content-type': 'application/json', ...headersFor(format) };
  const response = await fetch(`${origin}${call.path}`, { method: 'POST', headers, body: call.body });
  await response.body?.cancel();
  const cache = response.headers.get('x-weir-cache');
  if (cache !== 'hit') throw new Error(`${name}: x-weir-cache is ${cache}, not hit`);
}

/** A subject that loses part of the answers would look fast; an untouched reply has the upstream's bytes. */
function checkAnswers(row: string, calls: ReadonlyMap<Subject, readonly Measurement[]>): void {
  const [expected] = [...calls.values()].map(([first]) => first?.answerBytes);
  for (const [subject, taken] of calls) {
    const other = taken.find(({ answerBytes }) => answerBytes !== expected);
    if (other === undefined) continue;
    throw new Error(`${subject.name}, ${row}: ${other.answerBytes} bytes an answer instead of ${expected}`);
  }
}
