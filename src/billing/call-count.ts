import { limits } from '../kernel/limits.ts';
import type { Allowance, Slots, Taken } from '../kernel/ports/shared-state.ts';
import { countLost } from './quota-refusals.ts';
import type { CallsUnderWay } from './under-way.ts';

interface CallCountParts {
  readonly slots: Slots;
  /** Calls of a period that were recorded, and what other processes may let through before they record it. */
  claimed(accountId: string, periodStartMs: number): Promise<number>;
  /** Those of this process that are not recorded yet. */
  heldHere(allowance: Allowance): number;
}

/** What the store says of a call, once there is a count. */
export type Counted = Exclude<Taken, { outcome: 'uncounted' }>;

/** Counts the calls of accounts in a store that may lose its counts: each is begun anew from the database then. */
export class CallCount {
  readonly #parts: CallCountParts;
  readonly #slots: Slots;
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(parts: CallCountParts) {
    this.#parts = parts;
    this.#slots = parts.slots;
  }

  /** What is granted stays among the calls that are under way. */
  take(allowance: Allowance, underWay: CallsUnderWay): Counted | Promise<Counted> {
    underWay.calls++;
    const { processId, calls } = underWay;
    const taken = this.#slots.take(allowance, { processId, calls });
    if (taken instanceof Promise || taken.outcome === 'uncounted')
      return this.#takeBegun(allowance, underWay, taken);
    noted(taken, underWay, calls);
    return taken;
  }

  /** The same where the store is asked over a network, or nobody has counted yet. */
  async #takeBegun(
    allowance: Allowance,
    underWay: CallsUnderWay,
    asked: Taken | Promise<Taken>,
  ): Promise<Counted> {
    try {
      let { calls } = underWay;
      const { processId } = underWay;
      let taken = await asked;
      for (let beginnings = 1; taken.outcome === 'uncounted'; beginnings++) {
        if (beginnings > limits.countBeginningsMax) throw countLost();
        await this.#begin(allowance);
        calls = underWay.calls;
        taken = await this.#slots.take(allowance, { processId, calls });
      }
      noted(taken, underWay, calls);
      return taken;
    } catch (failure) {
      underWay.calls--;
      throw failure;
    }
  }

  /** Those who need the same count wait for one question to the database. */
  #begin(allowance: Allowance): Promise<void> {
    const name = `${allowance.periodStartMs} ${allowance.accountId}`;
    const running = this.#beginning.get(name);
    if (running !== undefined) return running;
    const beginning = this.#beginFromDatabase(allowance).finally(() => this.#beginning.delete(name));
    this.#beginning.set(name, beginning);
    return beginning;
  }

  async #beginFromDatabase(allowance: Allowance): Promise<void> {
    const recorded = await this.#parts.claimed(allowance.accountId, allowance.periodStartMs);
    await this.#slots.begin(allowance, recorded + this.#parts.heldHere(allowance));
  }
}

/** The store knows what was under way when it was asked. */
function noted({ outcome }: Counted, underWay: CallsUnderWay, calls: number): void {
  if (outcome !== 'granted') underWay.calls--;
  if (outcome !== 'failing') underWay.told(outcome === 'granted' ? calls : calls - 1);
}
