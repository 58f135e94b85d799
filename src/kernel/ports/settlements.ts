import type { LedgerLine } from './payments.ts';

/** A payment in progress: money is held or taken, and the result is open. */
export interface Settlement {
  /** The challenge and the attempt number: the processor's idempotency key. */
  readonly id: string;
  readonly challengeId: string;
  /** The attempt number of the challenge. */
  readonly attempt: number;
  /** The processor's id; null while unknown. */
  readonly intent: string | null;
  readonly atMs: number;
  /** The process that works on it and renews `untilMs`. */
  readonly holder: string;
  readonly untilMs: number;
}

export type SettlementOutcome = 'served' | 'cancelled' | 'refunded';

export interface Settlements {
  open(settlement: Settlement): Promise<void>;
  /** Stores the processor's id. */
  recordIntent(id: string, intent: string): Promise<void>;
  /** Only those still held by this holder. */
  renew(ids: readonly string[], settlementLease: SettlementLease): Promise<void>;
  /** The result; null while open, undefined if unknown. */
  outcome(id: string): Promise<SettlementOutcome | null | undefined>;
  /**
   * Marks the payment as served and adds it to the ledger, atomically. False if another holder has it, who then
   * refunds the money.
   */
  serve(id: string, holder: string, line: LedgerLine): Promise<boolean>;
  /** Marks the payment as refunded and reopens its challenge, atomically. False if it was closed before. */
  giveBack(
    settlement: Pick<Settlement, 'id' | 'challengeId' | 'attempt'>,
    outcome: 'cancelled' | 'refunded',
  ): Promise<boolean>;
  /** Acquires abandoned payments for the holder, exclusively until `untilMs`. */
  takeOver(bounds: TakeOverBounds): Promise<readonly Settlement[]>;
  /** Deletes closed ones from before `beforeMs`, and the oldest closed ones beyond `most`. */
  tidy(bounds: { readonly beforeMs: number; readonly most: number }): Promise<void>;
}

export interface SettlementLease {
  readonly holder: string;
  readonly untilMs: number;
}

export interface TakeOverBounds extends SettlementLease {
  readonly nowMs: number;
  readonly most: number;
}
