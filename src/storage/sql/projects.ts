import { type Kysely, sql, type Transaction } from 'kysely';
import type { Project, ProjectPage, Projects } from '../../kernel/ports/projects.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'account_id as accountId',
  'name',
  'created_at_ms as createdAtMs',
  'archived_at_ms as archivedAtMs',
] as const;

export class SqlProjects implements Projects {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(project: Project, most: number): Promise<'added' | 'name_taken' | 'limit_reached'> {
    const { id, accountId, name, createdAtMs, archivedAtMs } = project;
    return this.#locked(accountId, async (trx) => {
      if (await isNameTaken(trx, project)) return 'name_taken';
      if ((await countProjects(trx, accountId)) >= most) return 'limit_reached';
      await trx
        .insertInto('projects')
        .values({
          ...{ id, account_id: accountId, name },
          ...{ created_at_ms: createdAtMs, archived_at_ms: archivedAtMs },
        })
        .execute();
      return 'added';
    });
  }

  find(accountId: string, id: string): Promise<Project | undefined> {
    return this.#db
      .selectFrom('projects')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  page(accountId: string, { after, search, archived, limit }: ProjectPage): Promise<readonly Project[]> {
    return this.#db
      .selectFrom('projects')
      .select(columns)
      .where('account_id', '=', accountId)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at_ms, id) > (${after?.createdAtMs ?? 0}, ${after?.id ?? ''})`),
      )
      .$if(archived !== undefined, (query) =>
        query.where('archived_at_ms', archived === true ? 'is not' : 'is', null),
      )
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`lower(name) like ${patternOf(search ?? '')} escape '!'`),
      )
      .orderBy('created_at_ms')
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  count(accountId: string, archived?: boolean): Promise<number> {
    return countProjects(this.#db, accountId, archived);
  }

  rename(accountId: string, id: string, name: string): Promise<Project | 'unknown' | 'name_taken'> {
    return this.#locked(accountId, async (trx) => {
      if (await isNameTaken(trx, { accountId, id, name })) return 'name_taken';
      const renamed = await trx
        .updateTable('projects')
        .set({ name })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst();
      return renamed ?? 'unknown';
    });
  }

  setArchived(accountId: string, id: string, atMs: number | null): Promise<Project | undefined> {
    return this.#db
      .updateTable('projects')
      .set({
        archived_at_ms: atMs === null ? null : sql<number>`coalesce(archived_at_ms, cast(${atMs} as bigint))`,
      })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst();
  }

  /** Serializes with other changes of the account's projects. */
  #locked<Result>(accountId: string, change: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      return change(trx);
    });
  }
}

async function isNameTaken(
  trx: Transaction<Tables>,
  { accountId, id, name }: Pick<Project, 'accountId' | 'id' | 'name'>,
): Promise<boolean> {
  const other = await trx
    .selectFrom('projects')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('id', '<>', id)
    .executeTakeFirst();
  return other !== undefined;
}

async function countProjects(db: Kysely<Tables>, accountId: string, archived?: boolean): Promise<number> {
  const { projects } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll<number>().as('projects'))
    .where('account_id', '=', accountId)
    .$if(archived !== undefined, (query) =>
      query.where('archived_at_ms', archived === true ? 'is not' : 'is', null),
    )
    .executeTakeFirstOrThrow();
  return Number(projects);
}

/** Matches names that contain the text. */
function patternOf(search: string): string {
  return `%${search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[!%_]/g, '!$&')}%`;
}
