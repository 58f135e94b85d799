import { type Kysely, sql, type Transaction } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type {
  Gist,
  JudgedTrial,
  Outcome,
  Pattern,
  PatternChange,
  PatternQuery,
  PatternTable,
  PatternTrial,
  Verdict,
} from '../../kernel/ports/patterns.ts';
import { SqlPatternTrials } from './pattern-trials.ts';
import type { Tables } from './tables.ts';

/** Writers lock the owner's row until they commit, so that counts and changes are consistent. */
export class SqlPatternTable implements PatternTable {
  readonly #db: Kysely<Tables>;
  readonly #trials: SqlPatternTrials;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#trials = new SqlPatternTrials(db);
  }

  add(owner: string, pattern: Pattern, most: number): Promise<'added' | 'known' | 'full'> {
    return this.#db.transaction().execute(async (trx) => {
      const entries = await lockOwner(trx, owner);
      const { scope, fingerprint } = toRow(pattern);
      const duplicate = await trx
        .selectFrom('patterns')
        .select('id')
        .where((the) => the.and({ owner, scope, fingerprint }))
        .executeTakeFirst();
      if (duplicate !== undefined) return 'known';
      if (entries >= most) return 'full';
      await trx
        .insertInto('patterns')
        .values({ owner, ...toRow(pattern) })
        .execute();
      await updateOwner(trx, owner, 1);
      return 'added';
    });
  }

  find(owner: string, id: string): Promise<Pattern | undefined> {
    return findPattern(this.#db, owner, id);
  }

  async byFingerprint(
    owner: string,
    scope: string | null,
    fingerprint: string,
  ): Promise<Pattern | undefined> {
    const row = await this.#db
      .selectFrom('patterns')
      .select('pattern')
      .where((the) => the.and({ owner, scope: scope ?? '', fingerprint }))
      .executeTakeFirst();
    return row === undefined ? undefined : toPattern(row);
  }

  async page(owner: string, { search = [], state, after, limit }: PatternQuery): Promise<readonly Pattern[]> {
    let query = this.#db
      .selectFrom('patterns')
      .select('pattern')
      .where('owner', '=', owner)
      .orderBy('id', 'desc')
      .limit(limit);
    if (state !== undefined) query = query.where('state', '=', state);
    if (after !== undefined) query = query.where('id', '<', after);
    for (const word of search) {
      const like = `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
      query = query.where(sql<boolean>`words like ${like} escape '\\'`);
    }
    return (await query.execute()).map(toPattern);
  }

  change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      await lockOwner(trx, owner);
      const before = await findPattern(trx, owner, id);
      if (before === undefined) return undefined;
      return replacePattern(trx, owner, { before, now: change(before) });
    });
  }

  delete(owner: string, id: string): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockOwner(trx, owner);
      const { numDeletedRows } = await trx
        .deleteFrom('patterns')
        .where((the) => the.and({ owner, id }))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await updateOwner(trx, owner, -1);
      return true;
    });
  }

  async version(owner: string): Promise<number> {
    const row = await this.#db
      .selectFrom('pattern_owners')
      .select('version')
      .where('owner', '=', owner)
      .executeTakeFirst();
    return row?.version ?? 0;
  }

  async forget(owner: string): Promise<void> {
    await this.#trials.forget(owner);
    await this.#db.transaction().execute(async (trx) => {
      await lockOwner(trx, owner);
      await trx.deleteFrom('patterns').where('owner', '=', owner).execute();
      await trx.deleteFrom('pattern_owners').where('owner', '=', owner).execute();
    });
  }

  recordCall(...noted: Parameters<PatternTable['recordCall']>): Promise<void> {
    return this.#trials.note(...noted);
  }

  conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return this.#trials.conversationOf(owner, requestId);
  }

  callOf(owner: string, conversation: string): Promise<string | undefined> {
    return this.#trials.callOf(owner, conversation);
  }

  recordGist(...args: Parameters<PatternTable['recordGist']>): Promise<void> {
    return this.#trials.isAbout(...args);
  }

  gist(owner: string, conversation: string): Promise<Gist | undefined> {
    return this.#trials.gist(owner, conversation);
  }

  recordTrials(
    owner: string,
    conversation: string,
    trials: readonly PatternTrial[],
    atMs: number,
  ): Promise<void> {
    return this.#trials.tried(owner, conversation, trials, atMs);
  }

  addOutcome(...added: Parameters<PatternTable['addOutcome']>): Promise<boolean> {
    return this.#trials.addOutcome(...added);
  }

  outcomes(owner: string, conversation: string): Promise<readonly Outcome[]> {
    return this.#trials.outcomes(owner, conversation);
  }

  judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<Verdict | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      await lockOwner(trx, owner);
      const verdict = decide(await this.#trials.outcomes(owner, conversation, trx));
      if (verdict === undefined) return undefined;
      for (const trial of await this.#trials.updateVerdicts(trx, { owner, conversation, verdict })) {
        const before = await findPattern(trx, owner, trial.patternId);
        if (before !== undefined) await replacePattern(trx, owner, { before, now: change(before, trial) });
      }
      return verdict;
    });
  }

  tidy(beforeMs: number): Promise<boolean> {
    return this.#trials.tidy(beforeMs);
  }
}

/** Returns the number of patterns and blocks other writers until this transaction ends. */
async function lockOwner(trx: Transaction<Tables>, owner: string): Promise<number> {
  const { entries } = await trx
    .insertInto('pattern_owners')
    .values({ owner, entries: 0, version: 0 })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet({ entries: sql.ref('pattern_owners.entries') }),
    )
    .returning('entries')
    .executeTakeFirstOrThrow();
  return entries;
}

async function updateOwner(trx: Transaction<Tables>, owner: string, more: number): Promise<void> {
  await trx
    .updateTable('pattern_owners')
    .set({ entries: sql<number>`entries + ${more}`, version: sql<number>`version + 1` })
    .where('owner', '=', owner)
    .execute();
}

async function findPattern(db: Kysely<Tables>, owner: string, id: string): Promise<Pattern | undefined> {
  const row = await db
    .selectFrom('patterns')
    .select('pattern')
    .where((the) => the.and({ owner, id }))
    .executeTakeFirst();
  return row === undefined ? undefined : toPattern(row);
}

async function replacePattern(
  trx: Transaction<Tables>,
  owner: string,
  { before, now }: { readonly before: Pattern; readonly now: Pattern },
): Promise<Pattern> {
  if (now === before) return before;
  const { id, ...row } = toRow(now);
  const taken = await trx
    .selectFrom('patterns')
    .select('id')
    .where((the) => the.and({ owner, scope: row.scope, fingerprint: row.fingerprint }))
    .where('id', '<>', id)
    .executeTakeFirst();
  // If another pattern has the same fingerprint, the id makes this one unique.
  const fingerprint =
    taken === undefined ? row.fingerprint : `${row.fingerprint} ${id}`.slice(0, limits.patternFingerprintMax);
  await trx
    .updateTable('patterns')
    .set({ ...row, fingerprint })
    .where((the) => the.and({ owner, id }))
    .execute();
  await updateOwner(trx, owner, 0);
  return now;
}

function toRow(pattern: Pattern) {
  const { id, state, scope, fingerprint, trigger, advice } = pattern;
  const words = [trigger.text, ...trigger.tools, advice].join('\n').toLowerCase();
  return { id, state, scope: scope ?? '', fingerprint, words, pattern: JSON.stringify(pattern) };
}

function toPattern({ pattern }: Pick<Tables['patterns'], 'pattern'>): Pattern {
  return JSON.parse(pattern);
}
