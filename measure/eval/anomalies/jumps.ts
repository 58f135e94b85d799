import type { Measure } from '../../../src/alerts/anomalies/activity.ts';
import type { KeyActivity } from '../../../src/kernel/ports/key-activity.ts';
import type { SimulatedKey } from './simulated-key.ts';
import { binMs, type WatchedKey } from './watched-key.ts';

const jumpKinds = ['calls', 'cost', 'errors', 'cache_hits', 'prompt_cache'] as const;
type JumpKind = (typeof jumpKinds)[number];

/** A round comes half a minute after its window, so that the sixth would be too late. */
const binsInTime = 5;

interface JumpQuery {
  readonly key: SimulatedKey;
  readonly watched: WatchedKey;
  readonly bins: readonly (KeyActivity | undefined)[];
  readonly bin: number;
  readonly startMs: number;
}

/** Which jumps are found in time, by how much 20 minutes of a key vary by themselves: what no detector can know better. */
export class JumpTally {
  readonly #rows = new Map<string, { found: number; all: number; bins: number }>();

  /** Each kind of jump at this time, in copies of the key. */
  judge({ key, watched, bins, bin, startMs }: JumpQuery): void {
    for (const kind of jumpKinds) {
      const spread = key.spreadOf(kind, bins.slice(bin, bin + 4));
      if (spread === undefined) continue;
      const measure: Measure = kind === 'calls' || kind === 'cost' ? 'spend' : kind;
      if (watched.hasIncident(measure)) continue;
      const copy = watched.clone();
      let foundAfter: number | undefined;
      for (let at = 0; at < binsInTime; at++) {
        const activity = bins[bin + at];
        const findings = copy.add(activity && withJump(activity, kind), startMs + (bin + at + 1) * binMs);
        if (findings.some((one) => one.kind === 'detected' && one.measure === measure)) foundAfter ??= at + 1;
      }
      const band = ([0.12, 0.18, 0.25, 0.4] as const).find((most) => spread < most);
      const name = `| ${measure} | ${band === undefined ? '≥ 40 %' : `< ${(band * 100).toFixed(0)} %`} |`;
      const row = this.#rows.get(name) ?? { found: 0, all: 0, bins: 0 };
      this.#rows.set(name, row);
      row.all++;
      if (foundAfter !== undefined) {
        row.found++;
        row.bins += foundAfter;
      }
    }
  }

  print(): void {
    console.log(
      '| measure | variation in 20 minutes | jumps to 3 × | found within 30 minutes | minutes, mean |',
    );
    console.log('|---|--:|--:|--:|--:|');
    for (const [name, { found, all, bins }] of [...this.#rows].sort(([one], [other]) =>
      one.localeCompare(other),
    ))
      console.log(
        `${name} ${all} | ${((100 * found) / all).toFixed(0)} % | ${found === 0 ? '–' : ((5 * bins) / found).toFixed(0)} |`,
      );
  }
}

function withJump(activity: KeyActivity, kind: JumpKind): KeyActivity {
  const { calls, failed, cached, promptTokens, cacheReadTokens, costNanoUsd } = activity;
  switch (kind) {
    case 'calls':
      return {
        ...{ calls: calls * 3, failed: failed * 3, cached: cached * 3, promptTokens: promptTokens * 3 },
        ...{ cacheReadTokens: cacheReadTokens * 3, costNanoUsd: costNanoUsd * 3 },
      };
    case 'cost':
      return { ...activity, costNanoUsd: costNanoUsd * 3 };
    case 'errors':
      return { ...activity, failed: Math.min(calls, failed * 3) };
    case 'cache_hits':
      return { ...activity, cached: Math.round(cached / 3) };
    case 'prompt_cache':
      return { ...activity, cacheReadTokens: cacheReadTokens / 3 };
  }
}
