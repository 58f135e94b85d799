import { type NanoUsd, nanoOfPico, type PicoUsd } from '../../kernel/money.ts';
import type { PricingOf } from './conversation-turns.ts';
import type { CallGroup, InputSums, LogSummary } from './log-summary.ts';

/** Trillionths of a dollar per token, beyond the price of reading it from the provider's cache. */
interface MissRates {
  readonly input: PicoUsd;
  readonly write: PicoUsd;
}

/**
 * What input that providers did not read from their caches costs beyond the price of reading it from there, at today's
 * prices. Sums over time know the model, but not its provider: if several have it, the mean of their prices counts.
 * Models without a known price count nothing.
 */
export class CacheMisses {
  readonly total: NanoUsd;
  readonly #pricingOf: PricingOf;
  readonly #rates = new Map<string, MissRates>();

  constructor({ models }: Pick<LogSummary, 'models'>, pricingOf: PricingOf) {
    this.#pricingOf = pricingOf;
    const sums = new Map<string, { input: InputSums; cost: InputSums }>();
    for (const [name, { input }] of models) {
      const [provider = '', model = ''] = name.split('\n');
      const rates = this.#ratesOf(provider, model);
      const { input: all = nothing, cost = nothing } = sums.get(model) ?? {};
      sums.set(model, {
        input: { full: all.full + input.full, written: all.written + input.written },
        cost: {
          full: cost.full + input.full * rates.input,
          written: cost.written + input.written * rates.write,
        },
      });
    }
    this.total = [...models].reduce((sum, [name, group]) => sum + this.ofModel(name, group), 0);
    for (const [model, { input, cost }] of sums)
      this.#rates.set(model, {
        input: cost.full / Math.max(1, input.full),
        write: cost.written / Math.max(1, input.written),
      });
  }

  /** Of calls of one model with one provider; both are joined by a line break. */
  ofModel(name: string, { input }: CallGroup): NanoUsd {
    const [provider = '', model = ''] = name.split('\n');
    return costOf(input, this.#ratesOf(provider, model));
  }

  /** Of calls of one model with any provider. */
  ofInput(model: string, input: InputSums): NanoUsd {
    return costOf(input, this.#rates.get(model) ?? noRates);
  }

  #ratesOf(provider: string, model: string): MissRates {
    const pricing = this.#pricingOf(provider, model);
    // The price of an unknown model is that of the most expensive one.
    if (pricing === undefined || pricing.estimated) return noRates;
    const { input, cacheRead, cacheWrite } = pricing.card;
    return { input: Math.max(0, input - cacheRead), write: Math.max(0, cacheWrite - cacheRead) };
  }
}

const nothing: InputSums = { full: 0, written: 0 };
const noRates: MissRates = { input: 0, write: 0 };

function costOf({ full, written }: InputSums, { input, write }: MissRates): NanoUsd {
  return nanoOfPico(full * input + written * write);
}
