import type { Allowance, SlotDecision, Slots } from '../kernel/ports/shared-state.ts';
import type { InFlightTracker } from './in-flight.ts';
import { limits } from './limits.ts';
import { countLostError } from './quota-errors.ts';

interface CallCounterParts {
  readonly slots: Slots;
  /** Recorded calls of a period, plus the calls that other processes may admit before they record them. */
  recordedAndReservedCalls(accountId: string, periodStartMs: number): Promise<number>;
  /** Slots of this process that are not recorded yet. */
  openSlotsHere(allowance: Allowance): number;
}

/** The store's decision about a call, once there is a count. */
export type CountDecision = Exclude<SlotDecision, { outcome: 'uncounted' }>;

/** Counts the calls of accounts in a store that may lose its counts; lost counts are restored from the database. */
export class CallCounter {
  readonly #parts: CallCounterParts;
  readonly #slots: Slots;
  readonly #initializing = new Map<string, Promise<void>>();

  constructor(parts: CallCounterParts) {
    this.#parts = parts;
    this.#slots = parts.slots;
  }

  /** A granted call stays counted as in flight. */
  async takeSlot(allowance: Allowance, inFlight: InFlightTracker): Promise<CountDecision> {
    inFlight.calls++;
    try {
      for (let starts = 0; starts <= limits.countStartsMax; starts++) {
        if (starts > 0) await this.#initializeCount(allowance);
        const { processId, calls } = inFlight;
        const decision = await this.#slots.take(allowance, { processId, calls });
        if (decision.outcome === 'uncounted') continue;
        updateInFlight(decision, inFlight, calls);
        return decision;
      }
      throw countLostError();
    } catch (failure) {
      inFlight.calls--;
      throw failure;
    }
  }

  /** Concurrent callers share one database query. */
  #initializeCount(allowance: Allowance): Promise<void> {
    const name = `${allowance.periodStartMs} ${allowance.accountId}`;
    const running = this.#initializing.get(name);
    if (running !== undefined) return running;
    const starting = this.#initializeFromDatabase(allowance).finally(() => this.#initializing.delete(name));
    this.#initializing.set(name, starting);
    return starting;
  }

  async #initializeFromDatabase(allowance: Allowance): Promise<void> {
    const recorded = await this.#parts.recordedAndReservedCalls(allowance.accountId, allowance.periodStartMs);
    await this.#slots.begin(allowance, recorded + this.#parts.openSlotsHere(allowance));
  }
}

/** The store has received the number of in-flight calls with the request. */
function updateInFlight({ outcome }: CountDecision, inFlight: InFlightTracker, calls: number): void {
  if (outcome !== 'granted') inFlight.calls--;
  if (outcome !== 'failing') inFlight.markReported(outcome === 'granted' ? calls : calls - 1);
}
