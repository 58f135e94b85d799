import type { RetainedKind } from '../../../kernel/ports/data-retentions.ts';
import type { HoldSide } from '../../../kernel/ports/legal-holds.ts';

/** How long accounts keep data, and what stands in the way of its deletion. */
export interface RetentionTables {
  readonly data_retentions: {
    readonly account_id: string;
    readonly kind: RetainedKind;
    readonly days: number;
  };
  readonly legal_holds: {
    readonly account_id: string;
    readonly side: HoldSide;
    readonly reason: string;
    readonly placed_at_ms: number;
  };
}
