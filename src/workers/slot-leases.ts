import type { Allowance, InFlightCalls, SlotDecision } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { MemoryAccountState } from '../storage/memory/memory-account-state.ts';
import { limits } from './limits.ts';

/** A process that leases slots. */
export interface LeaseHolder {
  readonly hasEnded: boolean;
  /** Drops the account's state; from then on the process asks for every slot. */
  forgetAccount(accountId: string, withinMs: number): Promise<UnusedSlots | undefined>;
}

/** The slots of its last lease that a process returns. */
export interface UnusedSlots {
  readonly id: number;
  readonly calls: number;
  readonly inFlight: InFlightCalls | undefined;
}

export interface SlotRequest {
  readonly allowance: Allowance;
  readonly inFlight: InFlightCalls | undefined;
  /** The id of the last lease that the process has used up, 0 for none; undefined if it wants no lease. */
  readonly finishedLeaseId: number | undefined;
}

export interface SlotGrant {
  readonly result: SlotDecision;
  /** The number of additional slots, with consecutive numbers. */
  readonly lease?: { readonly id: number; readonly calls: number };
}

/** The last lease of a process. */
interface SlotLease {
  readonly accountId: string;
  id: number;
  calls: number;
  allowance: Allowance;
  processId: string | undefined;
  requestedAtMs: number;
  /** Since the last sweep. */
  wasRequested: boolean;
  /** Whether the count that they were taken from is gone. */
  isLost: boolean;
  returning: Promise<void> | undefined;
}

interface SlotLeasesParts {
  readonly slots: MemoryAccountState;
  readonly holders: ReadonlySet<LeaseHolder>;
  readonly idleMs?: number;
  readonly returnTimeoutMs?: number;
}

/**
 * Leases slots ahead to processes for busy accounts that are far from their caps. Before a call is rejected for lack of a
 * slot, all leases are reclaimed, so that caps are exact.
 */
export class SlotLeases {
  readonly #parts: SlotLeasesParts;
  readonly #leases = new Map<string, Map<LeaseHolder, SlotLease>>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SlotLeasesParts) {
    this.#parts = parts;
  }

  async take(
    leaseHolder: LeaseHolder,
    { allowance, inFlight, finishedLeaseId }: SlotRequest,
  ): Promise<SlotGrant> {
    const { accountId } = allowance;
    const { slots } = this.#parts;
    let result = slots.take(allowance, inFlight);
    if (this.#leases.has(accountId) && (result.outcome === 'full' || result.outcome === 'uncounted')) {
      await this.#handleShortage(accountId, result.outcome);
      result = slots.take(allowance, inFlight);
    }
    if (result.outcome === 'full')
      return { result: { ...result, held: result.held + this.#leasedCalls(accountId) } };
    if (result.outcome !== 'granted' || finishedLeaseId === undefined) return { result };
    return { result, ...this.#lease(leaseHolder, { allowance, inFlight, finishedLeaseId }, result.used) };
  }

  /** Failed calls have their own limit, so leases are reclaimed before it is applied. */
  async giveBack(allowance: Allowance): Promise<void> {
    await this.#parts.slots.giveBack(allowance);
    await this.#recall(allowance.accountId);
  }

  /** Resolves when no process has cached state of the account. */
  async forgetAccount(accountId: string): Promise<void> {
    const forgetting = [...this.#parts.holders].map(async (leaseHolder) => {
      try {
        await this.#forgetIn(leaseHolder, accountId, limits.renewalAckMs);
      } catch (thrown) {
        if (!leaseHolder.hasEnded) throw thrown;
      }
    });
    await Promise.all(forgetting);
  }

  /** Reclaims the leases of a process that is about to end. */
  async reclaimFrom(leaseHolder: LeaseHolder): Promise<void> {
    const returning = [...this.#leases.values()].map((lent) => {
      const lease = lent.get(leaseHolder);
      return lease && this.#reclaim(leaseHolder, lease);
    });
    await Promise.all(returning);
  }

  /** The slots of a killed process stay taken, since it may have used them. It has no calls in flight. */
  onHolderExit(leaseHolder: LeaseHolder): void {
    for (const [accountId, lent] of this.#leases) {
      const lease = lent.get(leaseHolder);
      if (lease?.processId !== undefined)
        void this.#parts.slots.reportInFlight(lease.allowance, { processId: lease.processId, calls: 0 });
      this.#removeLease(leaseHolder, accountId);
    }
  }

  #lease(
    leaseHolder: LeaseHolder,
    request: SlotRequest & { finishedLeaseId: number },
    used: number,
  ): Pick<SlotGrant, 'lease'> {
    const { allowance, inFlight, finishedLeaseId } = request;
    const room = Math.floor((allowance.limit - used) / limits.slotsAheadShare);
    const slotLease = this.#leases.get(allowance.accountId)?.get(leaseHolder);
    if (room === 0 || slotLease?.returning !== undefined) return {};
    if (slotLease === undefined) {
      this.#recordFirstRequest(leaseHolder, request);
      return {};
    }
    // The process discarded an answer that came too late.
    if (slotLease.id !== finishedLeaseId) this.#returnSlots(slotLease, slotLease.calls);
    const calls = Math.min(nextLeaseSize(slotLease), room);
    const id = ++this.#lastId;
    Object.assign(slotLease, { id, calls, allowance, isLost: false, processId: inFlight?.processId });
    this.#parts.slots.takeMore(allowance, calls);
    return { lease: { id, calls } };
  }

  /** A second request within a short time gets a lease. */
  #recordFirstRequest(
    leaseHolder: LeaseHolder,
    { allowance, inFlight, finishedLeaseId }: SlotRequest & { finishedLeaseId: number },
  ): void {
    const { accountId } = allowance;
    const slotLease: SlotLease = {
      accountId,
      id: finishedLeaseId,
      calls: 0,
      allowance,
      processId: inFlight?.processId,
      requestedAtMs: performance.now(),
      wasRequested: true,
      isLost: false,
      returning: undefined,
    };
    const all = this.#leases.get(accountId) ?? new Map<LeaseHolder, SlotLease>();
    this.#leases.set(accountId, all.set(leaseHolder, slotLease));
    this.#timer ??= setInterval(() => this.#sweep(), this.#parts.idleMs ?? limits.slotsAheadIdleMs).unref();
  }

  /** A restarted count must include slots that a process may still use. */
  async #handleShortage(accountId: string, outcome: 'full' | 'uncounted'): Promise<void> {
    const isLost = outcome === 'uncounted';
    if (isLost) for (const slotLease of this.#leases.get(accountId)?.values() ?? []) slotLease.isLost = true;
    const areBack = await this.#recall(accountId);
    if (isLost && !areBack)
      throw storageUnavailable('another process holds slots of this account and does not respond');
  }

  /** Resolves to whether all were returned. */
  async #recall(accountId: string): Promise<boolean> {
    const lent = this.#leases.get(accountId);
    if (lent === undefined) return true;
    const returned = await Promise.all(
      [...lent].map(([leaseHolder, lease]) => this.#reclaim(leaseHolder, lease)),
    );
    return returned.every((isBack) => isBack);
  }

  async #reclaim(leaseHolder: LeaseHolder, slotLease: SlotLease): Promise<boolean> {
    const { accountId, calls } = slotLease;
    if (calls === 0) {
      this.#removeLease(leaseHolder, accountId);
      return true;
    }
    const withinMs = this.#parts.returnTimeoutMs ?? limits.slotsAheadReturnMs;
    slotLease.returning ??= this.#forgetIn(leaseHolder, accountId, withinMs).finally(() => {
      slotLease.returning = undefined;
    });
    try {
      await slotLease.returning;
    } catch {
      if (leaseHolder.hasEnded) this.#removeLease(leaseHolder, accountId);
      return leaseHolder.hasEnded;
    }
    return true;
  }

  /** An account change and a shortage may both reclaim at once; the first answer returns the slots. */
  async #forgetIn(leaseHolder: LeaseHolder, accountId: string, withinMs: number): Promise<void> {
    const idBefore = this.#leases.get(accountId)?.get(leaseHolder)?.id;
    const unusedSlots = await leaseHolder.forgetAccount(accountId, withinMs);
    const slotLease = this.#leases.get(accountId)?.get(leaseHolder);
    if (slotLease === undefined) return;
    if (unusedSlots?.id === slotLease.id) this.#returnSlots(slotLease, unusedSlots.calls);
    // The grant came too late and was discarded, so the process never had these slots.
    else if (idBefore === slotLease.id) this.#returnSlots(slotLease, slotLease.calls);
    else return;
    if (unusedSlots?.inFlight !== undefined)
      void this.#parts.slots.reportInFlight(slotLease.allowance, unusedSlots.inFlight);
    this.#removeLease(leaseHolder, accountId);
  }

  #returnSlots({ allowance, isLost }: SlotLease, calls: number): void {
    if (calls > 0 && !isLost) this.#parts.slots.releaseUnused(allowance, calls);
  }

  #removeLease(leaseHolder: LeaseHolder, accountId: string): void {
    const lent = this.#leases.get(accountId);
    lent?.delete(leaseHolder);
    if (lent?.size === 0) this.#leases.delete(accountId);
  }

  #leasedCalls(accountId: string): number {
    let total = 0;
    for (const { calls } of this.#leases.get(accountId)?.values() ?? []) total += calls;
    return total;
  }

  /** Reclaims leases that were not used since the last sweep. */
  #sweep(): void {
    for (const lent of this.#leases.values())
      for (const [leaseHolder, lease] of lent) {
        if (!lease.wasRequested) void this.#reclaim(leaseHolder, lease);
        lease.wasRequested = false;
      }
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Enough slots to last a while, but few enough that little is returned or lost with a process. */
function nextLeaseSize(slotLease: SlotLease): number {
  const nowMs = performance.now();
  const lastedMs = nowMs - slotLease.requestedAtMs;
  slotLease.requestedAtMs = nowMs;
  slotLease.wasRequested = true;
  return Math.max(
    lastedMs < limits.slotsAheadLastMs ? 2 * slotLease.calls : slotLease.calls,
    limits.slotsAheadMin,
  );
}
