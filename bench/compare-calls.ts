import { setTimeout as wait } from 'node:timers/promises';
import { byTurns } from './by-turns.ts';
import type { Comparison, Field, Figures } from './compare.ts';
import { calm, flood, usageOf } from './measure.ts';
import type { Measured } from './messages.ts';
import { parseCost } from './parse-cost.ts';
import type { Row } from './rows.ts';
import type { Target } from './targets.ts';

/** Many short rounds: the median of their ratios is steadier than that of a few long ones. */
const floodSeconds = 0.4;
const calmSeconds = 0.3;
/** Usage and log are written up to a second after a call; that is part of what it costs. */
const afterworkMs = 1100;

/** CPU time under as many calls as a target can take, then latency under a few. */
export async function compareCalls(field: Field): Promise<Comparison> {
  const { load, row, direct, targets, warmUp, rounds } = field;
  for (const target of targets) await warmUp.for({ load, target, row });
  if (row.baseline === 'hello') await Promise.all(targets.map((target) => checkHit(target, row)));
  const flooded = await floodByTurns(field);
  const parsing = row.parsed ? Array.from({ length: rounds }, () => parseCost(row.call.body)) : [];
  const [base = direct] = targets.filter(({ name }) => name === 'hello');
  const calls = await byTurns([base, ...targets.filter((target) => target !== base)], rounds, (target) =>
    calm({ load, target, row }, calmSeconds),
  );
  checkAnswers(row.name, calls);
  const figures: Figures[] = [];
  for (const target of targets) {
    const added = addedTo(calls.get(base) ?? [], calls.get(target) ?? []);
    figures.push({
      target: target.name,
      ...(flooded.get(target) ?? { cpuMicros: [], perSecond: [] }),
      addedP50Ms: target === base ? [] : added(({ p50Ms }) => p50Ms),
      addedP99Ms: target === base ? [] : added(({ p99Ms }) => p99Ms),
      addedFirstTokenMs: row.streamed ? added(({ firstTokenMs }) => firstTokenMs) : [],
      restBytes: target.restBytes,
      rssBytes: (await usageOf(target)).rssBytes,
    });
  }
  return { row, figures, parsing };
}

type Flooded = Pick<Figures, 'cpuMicros' | 'perSecond'>;

/** A round's CPU time runs until the target's next turn, so that what it puts off while it is busy counts too. */
async function floodByTurns({ load, row, targets, rounds }: Field): Promise<ReadonlyMap<Target, Flooded>> {
  const turns = await byTurns(targets, rounds, async (target) => {
    const { cpuMicros } = await usageOf(target);
    return { startedAt: cpuMicros, result: await flood({ load, target, row }, floodSeconds) };
  });
  await wait(afterworkMs);
  const flooded = new Map<Target, Flooded>();
  for (const [target, taken] of turns) {
    const { cpuMicros: last } = await usageOf(target);
    flooded.set(target, {
      cpuMicros: taken.map(
        ({ startedAt, result }, round) => ((taken[round + 1]?.startedAt ?? last) - startedAt) / result.calls,
      ),
      perSecond: taken.map(({ result }) => result.calls / result.seconds),
    });
  }
  return flooded;
}

function addedTo(base: readonly Measured[], own: readonly Measured[]) {
  return (pick: (of: Measured) => number): readonly number[] =>
    own.map((measured, round) => {
      const below = base[round];
      return below === undefined ? Number.NaN : pick(measured) - pick(below);
    });
}

/** A cache that asked the upstream all the same would be compared with the wrong thing. */
async function checkHit({ name, origin, headersFor }: Target, { call, format }: Row): Promise<void> {
  if (name === 'hello') return;
  const headers = { 'content-type': 'application/json', ...headersFor(format) };
  const response = await fetch(`${origin}${call.path}`, { method: 'POST', headers, body: call.body });
  await response.body?.cancel();
  const cache = response.headers.get('x-weir-cache');
  if (cache !== 'hit') throw new Error(`${name}: x-weir-cache is ${cache}, not hit`);
}

/** A target that loses part of the answers would look fast; an untouched reply has the upstream's bytes. */
function checkAnswers(row: string, calls: ReadonlyMap<Target, readonly Measured[]>): void {
  const [expected] = [...calls.values()].map(([first]) => first?.answerBytes);
  for (const [target, taken] of calls) {
    const other = taken.find(({ answerBytes }) => answerBytes !== expected);
    if (other === undefined) continue;
    throw new Error(`${target.name}, ${row}: ${other.answerBytes} bytes an answer instead of ${expected}`);
  }
}
