import { promptOptimizer } from '../../../src/modules/prompt-optimizer/prompt-optimizer.ts';
import { type Provider, type Scorer, SimulatedRun } from '../memory/simulated.ts';
import type { TimedRequest } from '../memory/traces.ts';

/** The cost of the same calls without the module and with it. */
export interface Bill {
  readonly without: number;
  readonly spent: number;
  /** The highest share of the cost without it at any moment, after the first ten cents. */
  readonly dearest: number;
  /** How often each part of the trace occurred. */
  readonly notes: Readonly<Record<string, number>>;
}

interface How {
  readonly scorer: Scorer;
  readonly provider: Provider;
  readonly options: string;
}

const models = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5' };

export async function bill(calls: Iterable<TimedRequest>, { scorer, provider, options }: How): Promise<Bill> {
  const plain = new SimulatedRun(scorer, provider, undefined);
  const ours = new SimulatedRun(scorer, provider, options, promptOptimizer);
  const notes: Record<string, number> = {};
  let dearest = 0;
  const model = models[provider.name];
  for (const { request: recorded, atSeconds } of calls) {
    const request = { ...recorded, model };
    await plain.call(request, atSeconds);
    await ours.call(request, atSeconds);
    if (plain.dollars > 0.1) dearest = Math.max(dearest, ours.dollars / plain.dollars);
    for (const [name, value] of Object.entries(ours.facts)) {
      const key = name === 'aside' || name === 'ttl' ? `${name}=${value}` : name;
      notes[key] = (notes[key] ?? 0) + 1;
    }
  }
  return { without: plain.dollars, spent: ours.dollars, dearest, notes };
}
