import { type Kysely, sql } from 'kysely';
import { identityIdOf, type ProjectRole, projectRoles } from '../../kernel/ports/identities.ts';
import type { ListedProjectMember, ProjectMemberId, ProjectMembers } from '../../kernel/ports/projects.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlProjectMembers implements ProjectMembers {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async find(
    accountId: string,
    projectId: string,
    memberId: string | undefined,
  ): Promise<{ readonly role: ProjectRole | undefined } | undefined> {
    const row = await this.#db
      .selectFrom('projects')
      .leftJoin('project_members', (join) =>
        join
          .onRef('project_members.project_id', '=', 'projects.id')
          .on('project_members.member_id', '=', memberId ?? ''),
      )
      .select('project_members.role')
      .where('projects.account_id', '=', accountId)
      .where('projects.id', '=', projectId)
      .executeTakeFirst();
    return row && { role: row.role === null ? undefined : projectRoleOf(row.role) };
  }

  async rolesIn(memberId: string, projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectRole>> {
    if (projectIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('project_members')
      .select(['project_id', 'role'])
      .where('member_id', '=', memberId)
      .where('project_id', 'in', projectIds)
      .execute();
    return new Map(rows.map(({ project_id, role }) => [project_id, projectRoleOf(role)]));
  }

  async rolesOf(accountId: string, memberId: string): Promise<readonly ProjectRole[]> {
    const rows = await this.#db
      .selectFrom('project_members')
      .select('role')
      .distinct()
      .where('account_id', '=', accountId)
      .where('member_id', '=', memberId)
      .execute();
    return rows.map(({ role }) => projectRoleOf(role));
  }

  async page(
    projectId: string,
    { after, limit }: Parameters<ProjectMembers['page']>[1],
  ): Promise<readonly ListedProjectMember[]> {
    const rows = await this.#db
      .selectFrom('project_members')
      .leftJoin('identities', (join) => join.on(sql<boolean>`identities.id = project_members.member_id`))
      .leftJoin('service_accounts', 'service_accounts.id', 'project_members.member_id')
      .select(['project_members.member_id as memberId', 'identities.email', 'service_accounts.name'])
      .select('project_members.role')
      .select('project_members.created_at_ms as sinceMs')
      .where('project_id', '=', projectId)
      .$if(after !== undefined, (query) =>
        query.where(
          sql<boolean>`(project_members.created_at_ms, member_id) > (${after?.sinceMs ?? 0}, ${after?.memberId ?? ''})`,
        ),
      )
      .orderBy('project_members.created_at_ms')
      .orderBy('member_id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, role: projectRoleOf(row.role) }));
  }

  /** The lock keeps a member from leaving the account meanwhile. */
  setRole(member: ProjectMemberId, role: ProjectRole, atMs: number): Promise<ProjectRole | null | 'unknown'> {
    const { accountId, projectId, memberId } = member;
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const project = await trx
        .selectFrom('projects')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', projectId)
        .executeTakeFirst();
      const membership = await trx
        .selectFrom('memberships')
        .select('role')
        .where('account_id', '=', accountId)
        .where('identity_id', '=', identityIdOf(memberId))
        .executeTakeFirst();
      const service = await trx
        .selectFrom('service_accounts')
        .select('role')
        .where('account_id', '=', accountId)
        .where('id', '=', memberId)
        .executeTakeFirst();
      if (project === undefined || (membership ?? service) === undefined) return 'unknown';
      const before = await trx
        .selectFrom('project_members')
        .select('role')
        .where(isProjectMember(member))
        .executeTakeFirst();
      if (before === undefined)
        await trx
          .insertInto('project_members')
          .values({
            ...{ project_id: projectId, member_id: memberId, account_id: accountId },
            ...{ role, created_at_ms: atMs },
          })
          .execute();
      else await trx.updateTable('project_members').set({ role }).where(isProjectMember(member)).execute();
      return before === undefined ? null : projectRoleOf(before.role);
    });
  }

  async remove(member: ProjectMemberId): Promise<ProjectRole | undefined> {
    const removed = await this.#db
      .deleteFrom('project_members')
      .where(isProjectMember(member))
      .returning('role')
      .executeTakeFirst();
    return removed && projectRoleOf(removed.role);
  }
}

function isProjectMember({ accountId, projectId, memberId }: ProjectMemberId) {
  return sql<boolean>`project_id = ${projectId} and member_id = ${memberId} and account_id = ${accountId}`;
}

function projectRoleOf(name: string): ProjectRole {
  const role = projectRoles.find((known) => known === name);
  if (role === undefined)
    throw new Error(
      `the database has a role "${name}" in a project, which this version of Weir does not know`,
    );
  return role;
}
