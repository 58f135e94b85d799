import type { Child } from './child.ts';
import { measure, type Sample, type Target } from './measure.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** What one row showed: every sample of every target, and the CPU time of weir over that of bare. */
export interface Comparison {
  readonly row: string;
  readonly samples: ReadonlyMap<Target['name'], readonly Sample[]>;
  readonly ratio: Spread;
}

export interface Rounds {
  readonly row: string;
  readonly rounds: number;
  readonly warmUpSeconds: number;
}

/** Many short rounds: the median of their ratios is steadier than that of a few long ones. */
const runSeconds = 0.6;
/** Only a baseline for latency, without a ratio to make precise. */
const directSeconds = 0.2;
const concurrency = 16;

/** Measures the targets by turns: a machine that slows down for a while then slows all of them. */
export async function compare(load: Child, targets: readonly Target[], plan: Rounds): Promise<Comparison> {
  const { row, rounds, warmUpSeconds } = plan;
  for (const target of targets) {
    const seconds = target.name === 'direct' ? directSeconds : warmUpSeconds;
    await measure(load, target, { row, seconds, concurrency });
  }
  const samples = new Map<Target['name'], Sample[]>(targets.map((target) => [target.name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const seconds = target.name === 'direct' ? directSeconds : runSeconds;
      samples.get(target.name)?.push(await measure(load, target, { row, seconds, concurrency }));
    }
  }
  checkAnswers(row, samples);
  return { row, samples, ratio: spreadOf(ratios(samples)) };
}

/** Within each round, because the machine's speed drifts more between rounds than the targets differ. */
function ratios(samples: ReadonlyMap<Target['name'], readonly Sample[]>): readonly number[] {
  const bare = samples.get('bare') ?? [];
  const weir = samples.get('weir') ?? [];
  return weir.map((sample, round) => sample.cpuMicros / (bare[round]?.cpuMicros ?? Number.NaN));
}

/** A target that loses part of the answers would look fast; an untouched reply has the upstream's bytes. */
function checkAnswers(row: string, samples: ReadonlyMap<Target['name'], readonly Sample[]>): void {
  const expected = samples.get('direct')?.[0]?.answerBytes;
  for (const [target, taken] of samples) {
    const other = taken.find((sample) => sample.answerBytes !== expected);
    if (other === undefined) continue;
    throw new Error(
      `${target}, ${row}: ${other.answerBytes} bytes an answer, the upstream sends ${expected}`,
    );
  }
}
