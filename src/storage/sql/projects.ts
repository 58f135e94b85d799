import { type Kysely, sql, type Transaction } from 'kysely';
import type { Project, ProjectKind, ProjectPage, Projects } from '../../kernel/ports/projects.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const projectColumns = [
  'projects.id',
  'projects.account_id as accountId',
  'projects.name',
  'projects.created_at_ms as createdAtMs',
  'projects.archived_at_ms as archivedAtMs',
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
      .select(projectColumns)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  page(accountId: string, page: ProjectPage): Promise<readonly Project[]> {
    return this.#db
      .selectFrom('projects')
      .select(projectColumns)
      .where(onPage(accountId, page))
      .orderBy('created_at_ms')
      .orderBy('id')
      .limit(page.limit)
      .execute();
  }

  count(accountId: string, kind: ProjectKind): Promise<number> {
    return countProjects(this.#db, accountId, kind);
  }

  rename(accountId: string, id: string, name: string): Promise<Project | 'unknown' | 'name_taken'> {
    return this.#locked(accountId, async (trx) => {
      if (await isNameTaken(trx, { accountId, id, name })) return 'name_taken';
      const renamed = await trx
        .updateTable('projects')
        .set({ name })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returning(projectColumns)
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
      .returning(projectColumns)
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

/** The projects that follow those of the page before, and match. */
function onPage(accountId: string, { after, search, ...kind }: ProjectPage) {
  const conditions = [isOfKind(accountId, kind)];
  if (after !== undefined)
    conditions.push(sql`(projects.created_at_ms, projects.id) > (${after.createdAtMs}, ${after.id})`);
  if (search !== undefined) conditions.push(sql`lower(projects.name) like ${patternOf(search)} escape '!'`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function isOfKind(accountId: string, { archived, memberId }: ProjectKind) {
  const conditions = [sql`projects.account_id = ${accountId}`];
  if (archived === true) conditions.push(sql`projects.archived_at_ms is not null`);
  if (archived === false) conditions.push(sql`projects.archived_at_ms is null`);
  if (memberId !== undefined)
    conditions.push(sql`exists (select 1 from project_members
      where project_members.project_id = projects.id and project_members.member_id = ${memberId})`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
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

async function countProjects(db: Kysely<Tables>, accountId: string, kind: ProjectKind = {}): Promise<number> {
  const { projects } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll<number>().as('projects'))
    .where(isOfKind(accountId, kind))
    .executeTakeFirstOrThrow();
  return Number(projects);
}

/** Matches names that contain the text. */
function patternOf(search: string): string {
  return `%${search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[!%_]/g, '!$&')}%`;
}
