import type { LedgerLine } from './payments.ts';

/** A payment that is being made: money is held or taken, and nobody knows yet what becomes of it. */
export interface Settlement {
  /** The challenge and which try it is: the processor's idempotency key. */
  readonly id: string;
  readonly challengeId: string;
  /** Which try of the challenge it is. */
  readonly attempt: number;
  /** By which the processor knows it; null while that isn't known. */
  readonly intent: string | null;
  readonly atMs: number;
  /** Who works on it, and says so again before `untilMs`. */
  readonly holder: string;
  readonly untilMs: number;
}

export type SettlementOutcome = 'served' | 'cancelled' | 'refunded';

export interface Settlements {
  open(settlement: Settlement): Promise<void>;
  /** What the processor calls it. */
  recordIntent(id: string, intent: string): Promise<void>;
  /** Only those that are still this holder's. */
  renew(ids: readonly string[], settlementLease: SettlementLease): Promise<void>;
  /** What became of it; null while it is open, undefined where it is not known. */
  outcome(id: string): Promise<SettlementOutcome | null | undefined>;
  /**
   * The payer is about to get what was paid for, and the ledger tells so, in one step. False where it is no longer this
   * holder's: whoever has it now gives the money back.
   */
  serve(id: string, holder: string, line: LedgerLine): Promise<boolean>;
  /** The money was given back: in one step its challenge can be paid with again. False where it was closed before. */
  giveBack(
    settlement: Pick<Settlement, 'id' | 'challengeId' | 'attempt'>,
    outcome: 'cancelled' | 'refunded',
  ): Promise<boolean>;
  /** Those that nobody works on any more; from now until `untilMs` the holder does, and nobody else gets them. */
  takeOver(bounds: TakeOverBounds): Promise<readonly Settlement[]>;
  /** Forgets closed ones from before `beforeMs`, and the oldest closed ones where there are more than `most`. */
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
