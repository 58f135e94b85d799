import { limits } from '../kernel/limits.ts';
import type { Allowance, InFlightCalls, SlotDecision } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { MemoryAccountState } from '../storage/memory/memory-account-state.ts';

/** A process that slots are handed out to. */
export interface LeaseHolder {
  readonly hasEnded: boolean;
  /** From then on it knows nothing of the account, and lets no call through without asking. */
  forgetAccount(accountId: string, withinMs: number): Promise<UnusedSlots | undefined>;
}

/** What a process gives up of the slots that it was handed last. */
export interface UnusedSlots {
  readonly id: number;
  readonly calls: number;
  readonly inFlight: InFlightCalls | undefined;
}

export interface SlotRequest {
  readonly allowance: Allowance;
  readonly inFlight: InFlightCalls | undefined;
  /** The last that the process was handed ahead and has used up, 0 for none; undefined where it wants no more. */
  readonly finishedLeaseId: number | undefined;
}

export interface SlotGrant {
  readonly result: SlotDecision;
  /** So many more, with the numbers that follow. */
  readonly lease?: { readonly id: number; readonly calls: number };
}

/** What a process was handed last. */
interface SlotLease {
  readonly accountId: string;
  id: number;
  calls: number;
  allowance: Allowance;
  processId: string | undefined;
  requestedAtMs: number;
  /** Since the last look. */
  wasRequested: boolean;
  /** The count that they were taken from is gone. */
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
 * Hands out slots ahead to processes whose accounts call often, while their caps are far away. Before anybody is refused for
 * want of a slot, all that were handed out come back, so that a cap holds to the call.
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

  /** Calls that fail have a limit of their own, which nobody may pass who doesn't know of it. */
  async giveBack(allowance: Allowance): Promise<void> {
    await this.#parts.slots.giveBack(allowance);
    await this.#recall(allowance.accountId);
  }

  /** Resolves when no process knows anything of an account any more. */
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

  /** What a process has that is about to end comes back. */
  async reclaimFrom(leaseHolder: LeaseHolder): Promise<void> {
    const returning = [...this.#leases.values()].map((lent) => {
      const one = lent.get(leaseHolder);
      return one && this.#reclaim(leaseHolder, one);
    });
    await Promise.all(returning);
  }

  /** Nobody knows how many of its slots a process had used that was killed, so they stay taken. It has none under way. */
  onHolderExit(leaseHolder: LeaseHolder): void {
    for (const [accountId, lent] of this.#leases) {
      const one = lent.get(leaseHolder);
      if (one?.processId !== undefined)
        void this.#parts.slots.reportInFlight(one.allowance, { processId: one.processId, calls: 0 });
      this.#removeLease(leaseHolder, accountId);
    }
  }

  #lease(
    leaseHolder: LeaseHolder,
    asked: SlotRequest & { finishedLeaseId: number },
    used: number,
  ): Pick<SlotGrant, 'lease'> {
    const { allowance, inFlight, finishedLeaseId } = asked;
    const room = Math.floor((allowance.limit - used) / limits.slotsAheadShare);
    const slotLease = this.#leases.get(allowance.accountId)?.get(leaseHolder);
    if (room === 0 || slotLease?.returning !== undefined) return {};
    if (slotLease === undefined) {
      this.#recordFirstRequest(leaseHolder, asked);
      return {};
    }
    // An answer that came too late was thrown away.
    if (slotLease.id !== finishedLeaseId) this.#returnSlots(slotLease, slotLease.calls);
    const calls = Math.min(nextLeaseSize(slotLease), room);
    const id = ++this.#lastId;
    Object.assign(slotLease, { id, calls, allowance, isLost: false, processId: inFlight?.processId });
    this.#parts.slots.takeMore(allowance, calls);
    return { lease: { id, calls } };
  }

  /** Whoever asks again within a while is handed some. */
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

  /** A count that is begun anew must not miss a slot that somebody still lets a call through on. */
  async #handleShortage(accountId: string, outcome: 'full' | 'uncounted'): Promise<void> {
    const isLost = outcome === 'uncounted';
    if (isLost) for (const slotLease of this.#leases.get(accountId)?.values() ?? []) slotLease.isLost = true;
    const areBack = await this.#recall(accountId);
    if (isLost && !areBack)
      throw storageUnavailable('another process has slots of this account and does not answer');
  }

  /** Whether all are back. */
  async #recall(accountId: string): Promise<boolean> {
    const lent = this.#leases.get(accountId);
    if (lent === undefined) return true;
    const returned = await Promise.all(
      [...lent].map(([leaseHolder, one]) => this.#reclaim(leaseHolder, one)),
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

  /** Both may be asked for at once, by a change of the account and for want of a slot; the first answer has them. */
  async #forgetIn(leaseHolder: LeaseHolder, accountId: string, withinMs: number): Promise<void> {
    const idBefore = this.#leases.get(accountId)?.get(leaseHolder)?.id;
    const unusedSlots = await leaseHolder.forgetAccount(accountId, withinMs);
    const slotLease = this.#leases.get(accountId)?.get(leaseHolder);
    if (slotLease === undefined) return;
    if (unusedSlots?.id === slotLease.id) this.#returnSlots(slotLease, unusedSlots.calls);
    // It was handed them before it was asked, and never had them: the answer came too late.
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
    let held = 0;
    for (const { calls } of this.#leases.get(accountId)?.values() ?? []) held += calls;
    return held;
  }

  /** What nobody asked for since the last look comes back. */
  #sweep(): void {
    for (const lent of this.#leases.values())
      for (const [leaseHolder, one] of lent) {
        if (!one.wasRequested) void this.#reclaim(leaseHolder, one);
        one.wasRequested = false;
      }
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** So many that they last for a while, but not for so long that many come back or are lost with a process. */
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
