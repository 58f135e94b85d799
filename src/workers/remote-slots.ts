import type { Allowance, Slots, Taken, UnderWay } from '../kernel/ports/shared-state.ts';
import type { MemoryQuestions } from './memory-questions.ts';
import type { Peer } from './peer.ts';
import type { Unused } from './slots-ahead.ts';

type Primary = Pick<Peer<object, MemoryQuestions>, 'ask' | 'hasEnded'>;

/** Slots of one account that were handed out here before any call needs them. */
interface Ahead {
  readonly id: number;
  readonly periodStartMs: number;
  readonly version: string;
  /** The number of the next, and of the last. */
  next: number;
  readonly last: number;
  /** As of the last call. */
  underWay: UnderWay | undefined;
}

/**
 * Slots that another process counts. Where many calls come it hands out some ahead: to ask for each would cost a call half as
 * much again. They are given up as soon as it asks for them.
 */
export class RemoteSlots implements Slots {
  readonly #primary: Primary;
  readonly #onVersion: (accountId: string, version: string) => void;
  readonly #ahead = new Map<string, Ahead>();
  /** Accounts for which some ahead are being asked for. */
  readonly #asking = new Set<string>();

  /** `onVersion` hears of an account's version that was told with an answer. */
  constructor(primary: Primary, onVersion: (accountId: string, version: string) => void) {
    this.#primary = primary;
    this.#onVersion = onVersion;
  }

  take(allowance: Allowance, underWay?: UnderWay): Taken | Promise<Taken> {
    const ahead = this.#ahead.get(allowance.accountId);
    if (ahead === undefined || !this.#isFor(ahead, allowance)) return this.#ask(allowance, underWay);
    ahead.underWay = underWay;
    return { outcome: 'granted', used: ahead.next++, version: ahead.version };
  }

  tell(allowance: Allowance, underWay: UnderWay): Promise<void> {
    const ahead = this.#ahead.get(allowance.accountId);
    if (ahead?.periodStartMs === allowance.periodStartMs) ahead.underWay = underWay;
    return this.#primary.ask('tell', allowance, underWay);
  }

  giveBack(allowance: Allowance): Promise<void> {
    return this.#primary.ask('giveBack', allowance);
  }

  undo(allowance: Allowance): Promise<void> {
    return this.#primary.ask('undo', allowance);
  }

  begin(allowance: Allowance, used: number): Promise<void> {
    return this.#primary.ask('begin', allowance, used);
  }

  /** Gives up what is here of an account. */
  forget(accountId: string): Unused | undefined {
    const ahead = this.#ahead.get(accountId);
    this.#ahead.delete(accountId);
    return ahead && { id: ahead.id, calls: leftOf(ahead), underWay: ahead.underWay };
  }

  /** Without its way to the other process this one would not hear that they are asked for. */
  #isFor(ahead: Ahead, { periodStartMs, limit }: Allowance): boolean {
    const { next, last } = ahead;
    return next <= last && next <= limit && ahead.periodStartMs === periodStartMs && !this.#primary.hasEnded;
  }

  async #ask(allowance: Allowance, underWay: UnderWay | undefined): Promise<Taken> {
    const { accountId, periodStartMs } = allowance;
    const before = this.#ahead.get(accountId);
    if (this.#asking.has(accountId) || (before !== undefined && leftOf(before) > 0))
      return this.#heard(accountId, (await this.#primary.ask('take', allowance, underWay)).taken);
    this.#asking.add(accountId);
    try {
      const { taken, ahead } = await this.#primary.ask('take', allowance, underWay, before?.id ?? 0);
      if (taken.outcome === 'granted' && ahead !== undefined) {
        const { used, version } = taken;
        const { id, calls } = ahead;
        const [next, last] = [used + 1, used + calls];
        this.#ahead.set(accountId, { id, periodStartMs, version, next, last, underWay });
      }
      return this.#heard(accountId, taken);
    } finally {
      this.#asking.delete(accountId);
    }
  }

  #heard(accountId: string, taken: Taken): Taken {
    this.#onVersion(accountId, taken.version);
    return taken;
  }
}

function leftOf({ next, last }: Ahead): number {
  return last - next + 1;
}
