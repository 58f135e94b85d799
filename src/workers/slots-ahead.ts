import { limits } from '../kernel/limits.ts';
import type { Allowance, Taken, UnderWay } from '../kernel/ports/shared-state.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import type { MemoryAccounts } from '../storage/memory/memory-accounts.ts';

/** A process that slots are handed out to. */
export interface Holder {
  readonly hasEnded: boolean;
  /** From then on it knows nothing of the account, and lets no call through without asking. */
  forgetAccount(accountId: string, withinMs: number): Promise<Unused | undefined>;
}

/** What a process gives up of the slots that it was handed last. */
export interface Unused {
  readonly id: number;
  readonly calls: number;
  readonly underWay: UnderWay | undefined;
}

export interface Asked {
  readonly allowance: Allowance;
  readonly underWay: UnderWay | undefined;
  /** The last that the process was handed ahead and has used up, 0 for none; undefined where it wants no more. */
  readonly usedUp: number | undefined;
}

export interface Handed {
  readonly taken: Taken;
  /** So many more, with the numbers that follow. */
  readonly ahead?: { readonly id: number; readonly calls: number };
}

/** What a process was handed last. */
interface Lent {
  readonly accountId: string;
  id: number;
  calls: number;
  allowance: Allowance;
  processId: string | undefined;
  askedAtMs: number;
  /** Since the last look. */
  wasAsked: boolean;
  /** The count that they were taken from is gone. */
  isLost: boolean;
  returning: Promise<void> | undefined;
}

interface AheadParts {
  readonly slots: MemoryAccounts;
  readonly holders: ReadonlySet<Holder>;
  readonly idleMs?: number;
  readonly returnedMs?: number;
}

/**
 * Hands out slots ahead to processes whose accounts call often, while their caps are far away. Before anybody is refused for
 * want of a slot, all that were handed out come back, so that a cap holds to the call.
 */
export class SlotsAhead {
  readonly #parts: AheadParts;
  readonly #lent = new Map<string, Map<Holder, Lent>>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AheadParts) {
    this.#parts = parts;
  }

  async take(holder: Holder, { allowance, underWay, usedUp }: Asked): Promise<Handed> {
    const { accountId } = allowance;
    const { slots } = this.#parts;
    let taken = slots.take(allowance, underWay);
    if (this.#lent.has(accountId) && (taken.outcome === 'full' || taken.outcome === 'uncounted')) {
      await this.#missed(accountId, taken.outcome);
      taken = slots.take(allowance, underWay);
    }
    if (taken.outcome === 'full') return { taken: { ...taken, held: taken.held + this.#heldBy(accountId) } };
    if (taken.outcome !== 'granted' || usedUp === undefined) return { taken };
    return { taken, ...this.#lend(holder, { allowance, underWay, usedUp }, taken.used) };
  }

  /** Calls that fail have a limit of their own, which nobody may pass who doesn't know of it. */
  async giveBack(allowance: Allowance): Promise<void> {
    await this.#parts.slots.giveBack(allowance);
    await this.#recall(allowance.accountId);
  }

  /** Resolves when no process knows anything of an account any more. */
  async forget(accountId: string): Promise<void> {
    const forgetting = [...this.#parts.holders].map(async (holder) => {
      try {
        await this.#forget(holder, accountId, limits.renewalHeardMs);
      } catch (thrown) {
        if (!holder.hasEnded) throw thrown;
      }
    });
    await Promise.all(forgetting);
  }

  /** What a process has that is about to end comes back. */
  async leaving(holder: Holder): Promise<void> {
    const returning = [...this.#lent.values()].map((lent) => {
      const one = lent.get(holder);
      return one && this.#return(holder, one);
    });
    await Promise.all(returning);
  }

  /** Nobody knows how many of its slots a process had used that was killed, so they stay taken. It has none under way. */
  ended(holder: Holder): void {
    for (const [accountId, lent] of this.#lent) {
      const one = lent.get(holder);
      if (one?.processId !== undefined)
        void this.#parts.slots.tell(one.allowance, { processId: one.processId, calls: 0 });
      this.#drop(holder, accountId);
    }
  }

  #lend(holder: Holder, asked: Asked & { usedUp: number }, used: number): Pick<Handed, 'ahead'> {
    const { allowance, underWay, usedUp } = asked;
    const room = Math.floor((allowance.limit - used) / limits.aheadShare);
    const lent = this.#lent.get(allowance.accountId)?.get(holder);
    if (room === 0 || lent?.returning !== undefined) return {};
    if (lent === undefined) {
      this.#noteFirst(holder, asked);
      return {};
    }
    // An answer that came too late was thrown away.
    if (lent.id !== usedUp) this.#giveUp(lent, lent.calls);
    const calls = Math.min(wanted(lent), room);
    const id = ++this.#lastId;
    Object.assign(lent, { id, calls, allowance, isLost: false, processId: underWay?.processId });
    this.#parts.slots.takeMore(allowance, calls);
    return { ahead: { id, calls } };
  }

  /** Whoever asks again within a while is handed some. */
  #noteFirst(holder: Holder, { allowance, underWay, usedUp }: Asked & { usedUp: number }): void {
    const { accountId } = allowance;
    const lent: Lent = {
      accountId,
      id: usedUp,
      calls: 0,
      allowance,
      processId: underWay?.processId,
      askedAtMs: performance.now(),
      wasAsked: true,
      isLost: false,
      returning: undefined,
    };
    const all = this.#lent.get(accountId) ?? new Map<Holder, Lent>();
    this.#lent.set(accountId, all.set(holder, lent));
    this.#timer ??= setInterval(() => this.#sweep(), this.#parts.idleMs ?? limits.aheadIdleMs).unref();
  }

  /** A count that is begun anew must not miss a slot that somebody still lets a call through on. */
  async #missed(accountId: string, outcome: 'full' | 'uncounted'): Promise<void> {
    const isLost = outcome === 'uncounted';
    if (isLost) for (const lent of this.#lent.get(accountId)?.values() ?? []) lent.isLost = true;
    const areBack = await this.#recall(accountId);
    if (isLost && !areBack)
      throw unavailable('another process has slots of this account and does not answer');
  }

  /** Whether all are back. */
  async #recall(accountId: string): Promise<boolean> {
    const lent = this.#lent.get(accountId);
    if (lent === undefined) return true;
    const returned = await Promise.all([...lent].map(([holder, one]) => this.#return(holder, one)));
    return returned.every((isBack) => isBack);
  }

  async #return(holder: Holder, lent: Lent): Promise<boolean> {
    const { accountId, calls } = lent;
    if (calls === 0) {
      this.#drop(holder, accountId);
      return true;
    }
    const withinMs = this.#parts.returnedMs ?? limits.aheadReturnedMs;
    lent.returning ??= this.#forget(holder, accountId, withinMs).finally(() => {
      lent.returning = undefined;
    });
    try {
      await lent.returning;
    } catch {
      if (holder.hasEnded) this.#drop(holder, accountId);
      return holder.hasEnded;
    }
    return true;
  }

  /** Both may be asked for at once, by a change of the account and for want of a slot; the first answer has them. */
  async #forget(holder: Holder, accountId: string, withinMs: number): Promise<void> {
    const idBefore = this.#lent.get(accountId)?.get(holder)?.id;
    const unused = await holder.forgetAccount(accountId, withinMs);
    const lent = this.#lent.get(accountId)?.get(holder);
    if (lent === undefined) return;
    if (unused?.id === lent.id) this.#giveUp(lent, unused.calls);
    // It was handed them before it was asked, and never had them: the answer came too late.
    else if (idBefore === lent.id) this.#giveUp(lent, lent.calls);
    else return;
    if (unused?.underWay !== undefined) void this.#parts.slots.tell(lent.allowance, unused.underWay);
    this.#drop(holder, accountId);
  }

  #giveUp({ allowance, isLost }: Lent, calls: number): void {
    if (calls > 0 && !isLost) this.#parts.slots.giveUp(allowance, calls);
  }

  #drop(holder: Holder, accountId: string): void {
    const lent = this.#lent.get(accountId);
    lent?.delete(holder);
    if (lent?.size === 0) this.#lent.delete(accountId);
  }

  #heldBy(accountId: string): number {
    let held = 0;
    for (const { calls } of this.#lent.get(accountId)?.values() ?? []) held += calls;
    return held;
  }

  /** What nobody asked for since the last look comes back. */
  #sweep(): void {
    for (const lent of this.#lent.values())
      for (const [holder, one] of lent) {
        if (!one.wasAsked) void this.#return(holder, one);
        one.wasAsked = false;
      }
    if (this.#lent.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** So many that they last for a while, but not for so long that many come back or are lost with a process. */
function wanted(lent: Lent): number {
  const nowMs = performance.now();
  const lastedMs = nowMs - lent.askedAtMs;
  lent.askedAtMs = nowMs;
  lent.wasAsked = true;
  return Math.max(lastedMs < limits.aheadLastMs ? 2 * lent.calls : lent.calls, limits.aheadMin);
}
