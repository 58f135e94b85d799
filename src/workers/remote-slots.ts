import type { Allowance, InFlightCalls, SlotDecision, Slots } from '../kernel/ports/shared-state.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { UnusedSlots } from './slot-leases.ts';
import type { StoreMethods } from './store-methods.ts';

type PrimaryRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke' | 'hasEnded'>;

/** Slots of one account that this worker has leased ahead of calls. */
interface LeasedSlots {
  readonly id: number;
  readonly periodStartMs: number;
  readonly version: string;
  /** The numbers of the next and the last slot. */
  next: number;
  readonly last: number;
  /** At the last call. */
  inFlight: InFlightCalls | undefined;
}

/**
 * Slots that the primary process counts. It leases some ahead to busy workers, since an RPC per call would make calls
 * half as expensive again. Workers return them when it asks.
 */
export class RemoteSlots implements Slots {
  readonly #primary: PrimaryRpc;
  readonly #onVersion: (accountId: string, version: string) => void;
  readonly #leases = new Map<string, LeasedSlots>();
  /** Accounts with a pending lease request. */
  readonly #requesting = new Set<string>();

  /** `onVersion` receives the account version that comes with an answer. */
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

  /** Returns the leased slots of an account. */
  forget(accountId: string): UnusedSlots | undefined {
    const leasedSlots = this.#leases.get(accountId);
    this.#leases.delete(accountId);
    return (
      leasedSlots && { id: leasedSlots.id, calls: slotsLeftIn(leasedSlots), inFlight: leasedSlots.inFlight }
    );
  }

  /** Without a connection to the primary process, leased slots must not be used, since it cannot reclaim them. */
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
