import type { AccountRetention, LogRetentions, TierRetentions } from '../../kernel/ports/log-retentions.ts';
import type { Clock } from '../../lib/clock.ts';

interface AccountRetentionsParts {
  readonly table: LogRetentions;
  /** Empty where accounts have no tiers. */
  readonly tiers: TierRetentions;
  readonly clock: Clock;
}

interface EffectiveRetention {
  readonly accountId: string;
  /** Undefined for as long as the instance keeps them. */
  readonly days: number | undefined;
  readonly recordingDays: number | undefined;
}

/** How long accounts keep their calls: as long as they have chosen, and never longer than their tier allows. */
export class AccountRetentions {
  readonly table: LogRetentions;
  readonly #parts: AccountRetentionsParts;

  constructor(parts: AccountRetentionsParts) {
    this.table = parts.table;
    this.#parts = parts;
  }

  /** In days; undefined for as long as the instance. */
  async find(accountId: string): Promise<number | undefined> {
    const { table, tiers, clock } = this.#parts;
    if (tiers.size === 0) return table.find(accountId);
    const found = await table.of(accountId, tiers, clock.now());
    return found && effective(found).days;
  }

  /** The longest that the account can choose; undefined for as long as the instance. */
  async mostDays(accountId: string): Promise<number | undefined> {
    const { table, tiers, clock } = this.#parts;
    if (tiers.size === 0) return undefined;
    return (await table.of(accountId, tiers, clock.now()))?.ofTier.logDays;
  }

  /** Those that keep anything for a shorter time than the instance, in the order of their ids. */
  async page(after: string, limit: number): Promise<readonly EffectiveRetention[]> {
    const { table, tiers, clock } = this.#parts;
    if (tiers.size === 0)
      return (await table.page(after, limit)).map((one) => ({ ...one, recordingDays: undefined }));
    return (await table.pageOf(tiers, { nowMs: clock.now(), after, limit })).map(effective);
  }
}

function effective({ accountId, ownDays, ofTier }: AccountRetention): EffectiveRetention {
  const days = Math.min(ownDays ?? Number.POSITIVE_INFINITY, ofTier.logDays ?? Number.POSITIVE_INFINITY);
  return {
    accountId,
    days: Number.isFinite(days) ? days : undefined,
    recordingDays: ofTier.recordingDays,
  };
}
