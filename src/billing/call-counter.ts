import { limits } from '../kernel/limits.ts';
import type { Allowance, SlotDecision, Slots } from '../kernel/ports/shared-state.ts';
import type { InFlightTracker } from './in-flight.ts';
import { countLostError } from './quota-errors.ts';

interface CallCounterParts {
  readonly slots: Slots;
  /** Calls of a period that were recorded, and what other processes may let through before they record it. */
  recordedAndReservedCalls(accountId: string, periodStartMs: number): Promise<number>;
  /** Those of this process that are not recorded yet. */
  openSlotsHere(allowance: Allowance): number;
}

/** What the store says of a call, once there is a count. */
export type CountDecision = Exclude<SlotDecision, { outcome: 'uncounted' }>;

/** Counts the calls of accounts in a store that may lose its counts: each is begun anew from the database then. */
export class CallCounter {
  readonly #parts: CallCounterParts;
  readonly #slots: Slots;
  readonly #initializing = new Map<string, Promise<void>>();

  constructor(parts: CallCounterParts) {
    this.#parts = parts;
    this.#slots = parts.slots;
  }

  /** What is granted stays among the calls that are under way. */
  takeSlot(allowance: Allowance, underWay: InFlightTracker): CountDecision | Promise<CountDecision> {
    underWay.calls++;
    const { processId, calls } = underWay;
    const taken = this.#slots.take(allowance, { processId, calls });
    if (taken instanceof Promise || taken.outcome === 'uncounted')
      return this.#takeSlotAsync(allowance, underWay, taken);
    updateInFlight(taken, underWay, calls);
    return taken;
  }

  /** The same where the store is asked over a network, or nobody has counted yet. */
  async #takeSlotAsync(
    allowance: Allowance,
    underWay: InFlightTracker,
    asked: SlotDecision | Promise<SlotDecision>,
  ): Promise<CountDecision> {
    try {
      let { calls } = underWay;
      const { processId } = underWay;
      let slotDecision = await asked;
      for (let beginnings = 1; slotDecision.outcome === 'uncounted'; beginnings++) {
        if (beginnings > limits.countStartsMax) throw countLostError();
        await this.#initializeCount(allowance);
        calls = underWay.calls;
        slotDecision = await this.#slots.take(allowance, { processId, calls });
      }
      updateInFlight(slotDecision, underWay, calls);
      return slotDecision;
    } catch (failure) {
      underWay.calls--;
      throw failure;
    }
  }

  /** Those who need the same count wait for one question to the database. */
  #initializeCount(allowance: Allowance): Promise<void> {
    const name = `${allowance.periodStartMs} ${allowance.accountId}`;
    const running = this.#initializing.get(name);
    if (running !== undefined) return running;
    const beginning = this.#initializeFromDatabase(allowance).finally(() => this.#initializing.delete(name));
    this.#initializing.set(name, beginning);
    return beginning;
  }

  async #initializeFromDatabase(allowance: Allowance): Promise<void> {
    const recorded = await this.#parts.recordedAndReservedCalls(allowance.accountId, allowance.periodStartMs);
    await this.#slots.begin(allowance, recorded + this.#parts.openSlotsHere(allowance));
  }
}

/** The store knows what was under way when it was asked. */
function updateInFlight({ outcome }: CountDecision, underWay: InFlightTracker, calls: number): void {
  if (outcome !== 'granted') underWay.calls--;
  if (outcome !== 'failing') underWay.markReported(outcome === 'granted' ? calls : calls - 1);
}
