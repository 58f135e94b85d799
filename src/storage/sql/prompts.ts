import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  AddPromptOptions,
  PromptId,
  Prompts,
  SetLabelOptions,
  StoredPrompt,
  StoredPromptLabel,
  StoredPromptVersion,
} from '../../kernel/ports/prompts.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import { lockAccount } from './accounts.ts';
import { requireCredential } from './require-credential.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlPrompts implements Prompts {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(
    { accountId, name, id, content, note, createdAtMs }: Omit<StoredPromptVersion, 'version'>,
    { isFirst, labels, shown, ...most }: AddPromptOptions,
  ): ReturnType<Prompts['add']> {
    const prompt = { accountId, name };
    const text = JSON.stringify(content);
    return this.#change(accountId, shown, async (trx) => {
      const { prompts, versions, characters, newest } = await sumsOf(trx, prompt);
      if (isFirst && newest > 0) return 'exists';
      if (!isFirst && newest === 0) return 'unknown';
      if (isFirst && prompts >= most.promptsMost) return 'full';
      if (versions >= most.versionsMost || characters + text.length > most.charactersMost) return 'full';
      if (!(await haveRoom(trx, prompt, { labels, most: most.labelsMost }))) return 'labels';
      const version = newest + 1;
      await trx
        .insertInto('prompt_versions')
        .values({ account_id: accountId, name, version, id, content: text, note, created_at_ms: createdAtMs })
        .execute();
      for (const label of labels) await putLabel(trx, prompt, { label, version, updatedAtMs: createdAtMs });
      return version;
    });
  }

  async list(accountId: string): Promise<readonly StoredPrompt[]> {
    const [versions, labels] = await Promise.all([
      this.#db
        .selectFrom('prompt_versions')
        .select(['name', 'version', 'id', 'note', 'created_at_ms as createdAtMs'])
        .where('account_id', '=', accountId)
        .orderBy('name')
        .orderBy('version')
        .execute(),
      this.#db
        .selectFrom('prompt_labels')
        .select(['name', 'label', 'version', 'updated_at_ms as updatedAtMs'])
        .where('account_id', '=', accountId)
        .orderBy('name')
        .orderBy('label')
        .execute(),
    ]);
    const labelsOf = Map.groupBy(labels, ({ name }) => name);
    return [...Map.groupBy(versions, ({ name }) => name)].map(([name, rows]) => ({
      name,
      versions: rows.map(({ name: _, ...version }) => version),
      labels: (labelsOf.get(name) ?? []).map(({ name: _, ...label }) => label),
    }));
  }

  async find({ accountId, name }: PromptId, version: number): Promise<StoredPromptVersion | undefined> {
    const row = await this.#db
      .selectFrom('prompt_versions')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .where('version', '=', version)
      .executeTakeFirst();
    return (
      row && {
        accountId,
        name,
        version,
        id: row.id,
        content: JSON.parse(row.content),
        note: row.note,
        createdAtMs: row.created_at_ms,
      }
    );
  }

  setLabel(
    prompt: PromptId,
    { label, version }: Omit<StoredPromptLabel, 'updatedAtMs'>,
    { atMs, labelsMost, shown }: SetLabelOptions,
  ): ReturnType<Prompts['setLabel']> {
    return this.#change(prompt.accountId, shown, async (trx) => {
      const found = await trx
        .selectFrom('prompt_versions')
        .select('version')
        .where('account_id', '=', prompt.accountId)
        .where('name', '=', prompt.name)
        .where('version', '=', version)
        .executeTakeFirst();
      if (found === undefined) return 'unknown';
      if (!(await haveRoom(trx, prompt, { labels: [label], most: labelsMost }))) return 'labels';
      await putLabel(trx, prompt, { label, version, updatedAtMs: atMs });
      return 'set';
    });
  }

  async deleteLabel({ accountId, name }: PromptId, label: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('prompt_labels')
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .where('label', '=', label)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  deleteVersion(prompt: PromptId, version: number): ReturnType<Prompts['deleteVersion']> {
    const { accountId, name } = prompt;
    return this.#change(accountId, undefined, async (trx) => {
      const { newest } = await sumsOf(trx, prompt);
      const labelled = await trx
        .selectFrom('prompt_labels')
        .select('label')
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .where('version', '=', version)
        .executeTakeFirst();
      if (newest === version || labelled !== undefined) return 'used';
      const { numDeletedRows } = await trx
        .deleteFrom('prompt_versions')
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .where('version', '=', version)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n ? 'deleted' : 'unknown';
    });
  }

  delete({ accountId, name }: PromptId): Promise<boolean> {
    return this.#change(accountId, undefined, async (trx) => {
      await trx
        .deleteFrom('prompt_labels')
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .execute();
      const { numDeletedRows } = await trx
        .deleteFrom('prompt_versions')
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    });
  }

  async forget(accountId: string): Promise<void> {
    await this.#change(accountId, undefined, async (trx) => {
      await trx.deleteFrom('prompt_labels').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('prompt_versions').where('account_id', '=', accountId).execute();
    });
  }

  /** Changes of one account run one after the other, so that what they have read stays valid. */
  #change<Result>(
    accountId: string,
    shown: PresentedCredential | undefined,
    change: (trx: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      if (shown !== undefined) await requireCredential(trx, accountId, shown);
      return change(trx);
    });
  }
}

interface PromptSums {
  readonly prompts: number;
  readonly versions: number;
  readonly characters: number;
  /** The newest version of the prompt; 0 if there is none. */
  readonly newest: number;
}

async function sumsOf(trx: Transaction<Tables>, { accountId, name }: PromptId): Promise<PromptSums> {
  const row = await trx
    .selectFrom('prompt_versions')
    .select([
      sql<number>`count(distinct name)`.as('prompts'),
      sql<number>`count(*)`.as('versions'),
      sql<number>`coalesce(sum(length(content)), 0)`.as('characters'),
      sql<number>`coalesce(max(case when name = ${name} then version end), 0)`.as('newest'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return {
    prompts: Number(row.prompts),
    versions: Number(row.versions),
    characters: Number(row.characters),
    newest: Number(row.newest),
  };
}

/** Whether a prompt has at most this many labels once it has these. */
async function haveRoom(
  trx: Transaction<Tables>,
  { accountId, name }: PromptId,
  { labels, most }: { readonly labels: readonly string[]; readonly most: number },
): Promise<boolean> {
  if (labels.length === 0) return true;
  const stored = await trx
    .selectFrom('prompt_labels')
    .select('label')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .execute();
  return new Set([...stored.map(({ label }) => label), ...labels]).size <= most;
}

async function putLabel(
  trx: Transaction<Tables>,
  { accountId, name }: PromptId,
  { label, version, updatedAtMs }: StoredPromptLabel,
): Promise<void> {
  const set = { version, updated_at_ms: updatedAtMs };
  await trx
    .insertInto('prompt_labels')
    .values({ account_id: accountId, name, label, ...set })
    .onConflict((conflict) => conflict.columns(['account_id', 'name', 'label']).doUpdateSet(set))
    .execute();
}
