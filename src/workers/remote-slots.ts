import type { Allowance, InFlightCalls, SlotDecision, Slots } from '../kernel/ports/shared-state.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { UnusedSlots } from './slot-leases.ts';
import type { StoreMethods } from './store-methods.ts';

type PrimaryRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke' | 'hasEnded'>;

/** Slots of one account that were handed out here before any call needs them. */
interface LeasedSlots {
  readonly id: number;
  readonly periodStartMs: number;
  readonly version: string;
  /** The number of the next, and of the last. */
  next: number;
  readonly last: number;
  /** As of the last call. */
  inFlight: InFlightCalls | undefined;
}

/**
 * Slots that another process counts. Where many calls come it hands out some ahead: to ask for each would cost a call half as
 * much again. They are given up as soon as it asks for them.
 */
export class RemoteSlots implements Slots {
  readonly #primary: PrimaryRpc;
  readonly #onVersion: (accountId: string, version: string) => void;
  readonly #leases = new Map<string, LeasedSlots>();
  /** Accounts for which some ahead are being asked for. */
  readonly #requesting = new Set<string>();

  /** `onVersion` hears of an account's version that was told with an answer. */
  constructor(primaryRpc: PrimaryRpc, onVersion: (accountId: string, version: string) => void) {
    this.#primary = primaryRpc;
    this.#onVersion = onVersion;
  }

  take(allowance: Allowance, inFlightCalls?: InFlightCalls): SlotDecision | Promise<SlotDecision> {
    const leasedSlots = this.#leases.get(allowance.accountId);
    if (leasedSlots === undefined || !this.#isUsable(leasedSlots, allowance))
      return this.#requestSlot(allowance, inFlightCalls);
    leasedSlots.inFlight = inFlightCalls;
    return { outcome: 'granted', used: leasedSlots.next++, version: leasedSlots.version };
  }

  reportInFlight(allowance: Allowance, inFlightCalls: InFlightCalls): Promise<void> {
    const leasedSlots = this.#leases.get(allowance.accountId);
    if (leasedSlots?.periodStartMs === allowance.periodStartMs) leasedSlots.inFlight = inFlightCalls;
    return this.#primary.invoke('reportInFlight', allowance, inFlightCalls);
  }

  giveBack(allowance: Allowance): Promise<void> {
    return this.#primary.invoke('giveBack', allowance);
  }

  undo(allowance: Allowance): Promise<void> {
    return this.#primary.invoke('undo', allowance);
  }

  begin(allowance: Allowance, used: number): Promise<void> {
    return this.#primary.invoke('startCount', allowance, used);
  }

  /** Gives up what is here of an account. */
  forget(accountId: string): UnusedSlots | undefined {
    const leasedSlots = this.#leases.get(accountId);
    this.#leases.delete(accountId);
    return (
      leasedSlots && { id: leasedSlots.id, calls: slotsLeftIn(leasedSlots), inFlight: leasedSlots.inFlight }
    );
  }

  /** Without its way to the other process this one would not hear that they are asked for. */
  #isUsable(leasedSlots: LeasedSlots, { periodStartMs, limit }: Allowance): boolean {
    const { next, last } = leasedSlots;
    return (
      next <= last && next <= limit && leasedSlots.periodStartMs === periodStartMs && !this.#primary.hasEnded
    );
  }

  async #requestSlot(allowance: Allowance, inFlight: InFlightCalls | undefined): Promise<SlotDecision> {
    const { accountId, periodStartMs } = allowance;
    const before = this.#leases.get(accountId);
    if (this.#requesting.has(accountId) || (before !== undefined && slotsLeftIn(before) > 0))
      return this.#noteVersion(
        accountId,
        (await this.#primary.invoke('takeSlot', allowance, inFlight)).result,
      );
    this.#requesting.add(accountId);
    try {
      const { result, lease } = await this.#primary.invoke('takeSlot', allowance, inFlight, before?.id ?? 0);
      if (result.outcome === 'granted' && lease !== undefined) {
        const { used, version } = result;
        const { id, calls } = lease;
        const [next, last] = [used + 1, used + calls];
        this.#leases.set(accountId, { id, periodStartMs, version, next, last, inFlight });
      }
      return this.#noteVersion(accountId, result);
    } finally {
      this.#requesting.delete(accountId);
    }
  }

  #noteVersion(accountId: string, slotDecision: SlotDecision): SlotDecision {
    this.#onVersion(accountId, slotDecision.version);
    return slotDecision;
  }
}

function slotsLeftIn({ next, last }: LeasedSlots): number {
  return last - next + 1;
}
