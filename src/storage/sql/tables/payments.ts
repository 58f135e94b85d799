import type { SettlementOutcome } from '../../../kernel/ports/settlements.ts';

/** Payments per call. */
export interface PaymentTables {
  readonly payment_challenges: {
    readonly id: string;
    readonly realm: string;
    readonly request: string;
    readonly digest: string;
    readonly expires_at_ms: number;
    readonly consumed_at_ms: number | null;
    readonly attempts: number;
  };
  readonly settlements: {
    readonly id: string;
    readonly challenge_id: string;
    readonly attempt: number;
    readonly intent: string | null;
    readonly at_ms: number;
    readonly holder: string;
    readonly until_ms: number;
    readonly outcome: SettlementOutcome | null;
  };
  readonly paid_answers: {
    readonly name: string;
    readonly digest: string;
    readonly until_ms: number;
    readonly expires_at_ms: number;
    readonly makings: number;
    readonly settlement_id: string | null;
    readonly sealed_by: string | null;
    readonly sealed: Uint8Array | null;
    /** The size of the sealed content. */
    readonly bytes: number;
    /** 1 once the answer is complete. */
    readonly whole: number;
  };
  /** Append-only: the database rejects updates and deletions. */
  readonly payment_ledger: {
    readonly line_id: string;
    readonly at_ms: number;
    readonly route: string;
    readonly amount: string;
    readonly currency: string;
    readonly receipt_hash: string;
  };
}
