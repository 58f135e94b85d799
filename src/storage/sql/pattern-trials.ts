import type { Kysely, Transaction } from 'kysely';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  Gist,
  JudgedTrial,
  Outcome,
  PatternTable,
  PatternTrial,
  Verdict,
} from '../../kernel/ports/patterns.ts';
import { limits } from '../limits.ts';
import type { Tables } from './tables.ts';

const expiringTables = ['pattern_calls', 'pattern_gists', 'pattern_trials', 'outcomes'] as const;
type MilliScores = Pick<Tables['outcomes'], 'good_milli' | 'bad_milli'>;

/** The evidence for patterns: calls, their conversations, the trials in them, and their outcomes. */
export class SqlPatternTrials {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async note(
    owner: string,
    { requestId, conversation, atMs }: Parameters<PatternTable['recordCall']>[1],
  ): Promise<void> {
    await this.#db
      .insertInto('pattern_calls')
      .values({ owner, request_id: requestId, conversation, at_ms: atMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('pattern_calls')
      .select('conversation')
      .where((the) => the.and({ owner, request_id: requestId }))
      .executeTakeFirst();
    return row?.conversation;
  }

  async callOf(owner: string, conversation: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('pattern_calls')
      .select('request_id')
      .where((the) => the.and({ owner, conversation }))
      .limit(1)
      .executeTakeFirst();
    return row?.request_id;
  }

  async isAbout(
    owner: string,
    { conversation, scope, about, atMs }: Parameters<PatternTable['recordGist']>[1],
  ): Promise<void> {
    await this.#db
      .insertInto('pattern_gists')
      .values({ owner, conversation, scope: scope ?? '', about, at_ms: atMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async gist(owner: string, conversation: string): Promise<Gist | undefined> {
    const row = await this.#db
      .selectFrom('pattern_gists')
      .select(['scope', 'about'])
      .where((the) => the.and({ owner, conversation }))
      .executeTakeFirst();
    return row && { about: row.about, scope: row.scope === '' ? null : row.scope };
  }

  async tried(
    owner: string,
    conversation: string,
    trials: readonly PatternTrial[],
    atMs: number,
  ): Promise<void> {
    if (trials.length === 0) return;
    await this.#db
      .insertInto('pattern_trials')
      .values(
        trials.map(({ patternId, isHeldOut }) => ({
          owner,
          conversation,
          pattern_id: patternId,
          held_out: isHeldOut ? 1 : 0,
          good_milli: 0,
          bad_milli: 0,
          at_ms: atMs,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async addOutcome(
    owner: string,
    conversation: string,
    outcome: Outcome & { readonly atMs: number },
  ): Promise<boolean> {
    const { requestId, note, atMs } = outcome;
    const values = { ...toMilliScores(outcome), note, at_ms: atMs };
    const which = { owner, conversation, request_id: requestId };
    const written = await this.#db
      .insertInto('outcomes')
      .values({ ...which, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['owner', 'conversation', 'request_id'])
          .doUpdateSet(values)
          .where((the) =>
            the.or([
              the('outcomes.good_milli', '<>', values.good_milli),
              the('outcomes.bad_milli', '<>', values.bad_milli),
              the('outcomes.note', '<>', note),
            ]),
          ),
      )
      .returning('request_id')
      .executeTakeFirst();
    return written !== undefined;
  }

  async outcomes(
    owner: string,
    conversation: string,
    db: Kysely<Tables> = this.#db,
  ): Promise<readonly Outcome[]> {
    const rows = await db
      .selectFrom('outcomes')
      .select(['request_id', 'good_milli', 'bad_milli', 'note'])
      .where((the) => the.and({ owner, conversation }))
      .orderBy('request_id')
      .limit(limits.outcomesOfConversationMax)
      .execute();
    return rows.map((row) => ({ requestId: row.request_id, note: row.note, ...toVerdict(row) }));
  }

  /** Returns the trials whose verdict changed. */
  async updateVerdicts(
    trx: Transaction<Tables>,
    { owner, conversation, verdict }: { owner: string; conversation: string; verdict: Verdict },
  ): Promise<readonly JudgedTrial[]> {
    const rows = await trx
      .selectFrom('pattern_trials')
      .select(['pattern_id', 'held_out', 'good_milli', 'bad_milli'])
      .where((the) => the.and({ owner, conversation }))
      .execute();
    const now = toMilliScores(verdict);
    await trx
      .updateTable('pattern_trials')
      .set(now)
      .where((the) => the.and({ owner, conversation }))
      .execute();
    return rows
      .filter((row) => row.good_milli !== now.good_milli || row.bad_milli !== now.bad_milli)
      .map((row) => ({
        patternId: row.pattern_id,
        isHeldOut: row.held_out === 1,
        before: toVerdict(row),
        now: toVerdict(now),
      }));
  }

  async forget(owner: string): Promise<void> {
    for (const table of expiringTables) await this.#db.deleteFrom(table).where('owner', '=', owner).execute();
  }

  async tidy(beforeMs: number): Promise<boolean> {
    const most = kernelLimits.databaseRowsAtOnce;
    let more = false;
    for (const table of expiringTables) {
      const old = await this.#db
        .selectFrom(table)
        .select('at_ms')
        .where('at_ms', '<', beforeMs)
        .orderBy('at_ms')
        .limit(1)
        .offset(most)
        .executeTakeFirst();
      more ||= old !== undefined;
      const upTo = old === undefined ? beforeMs - 1 : old.at_ms;
      await this.#db.deleteFrom(table).where('at_ms', '<=', upTo).execute();
    }
    return more;
  }
}

function toMilliScores({ good, bad }: Verdict): MilliScores {
  return { good_milli: Math.round(good * 1000), bad_milli: Math.round(bad * 1000) };
}

function toVerdict({ good_milli, bad_milli }: MilliScores): Verdict {
  return { good: good_milli / 1000, bad: bad_milli / 1000 };
}
