import { type Kysely, sql } from 'kysely';
import type { Role } from '../../kernel/ports/identities.ts';
import type { CurrentKey, McpKeyPeople } from '../../kernel/ports/mcp-authorization.ts';
import { toList } from './key-access-columns.ts';
import { roleOf } from './members.ts';
import type { Tables } from './tables.ts';

export class SqlMcpKeyPeople implements McpKeyPeople {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async list(accountId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db
      .selectFrom('mcp_key_people')
      .innerJoin('api_keys', 'api_keys.id', 'mcp_key_people.key_id')
      .select(['mcp_key_people.key_id', 'mcp_key_people.person_id'])
      .where('mcp_key_people.account_id', '=', accountId)
      .where('api_keys.revoked_at_ms', 'is', null)
      .execute();
    return new Map(rows.map(({ key_id, person_id }) => [key_id, person_id]));
  }

  async personOf(accountId: string, keyId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('mcp_key_people')
      .select('person_id')
      .where('account_id', '=', accountId)
      .where('key_id', '=', keyId)
      .executeTakeFirst();
    return row?.person_id;
  }

  async set(
    { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
    personId: string | null,
    nowMs: number,
  ): Promise<void> {
    if (personId === null) {
      await this.#db
        .deleteFrom('mcp_key_people')
        .where('account_id', '=', accountId)
        .where('key_id', '=', keyId)
        .execute();
      return;
    }
    const row = { account_id: accountId, key_id: keyId, person_id: personId, since_ms: nowMs };
    await this.#db
      .insertInto('mcp_key_people')
      .values(row)
      .onConflict((conflict) => conflict.column('key_id').doUpdateSet(row))
      .execute();
  }

  async current(accountId: string, keyId: string): Promise<CurrentKey | undefined> {
    const row = await this.#db
      .selectFrom('api_keys')
      .leftJoin('mcp_key_people', (join) =>
        join
          .onRef('mcp_key_people.key_id', '=', 'api_keys.id')
          .onRef('mcp_key_people.account_id', '=', 'api_keys.account_id'),
      )
      .leftJoin('memberships', (join) =>
        join
          .onRef('memberships.account_id', '=', 'api_keys.account_id')
          .on(sql<boolean>`memberships.identity_id = mcp_key_people.person_id`),
      )
      .leftJoin('identities', 'identities.id', 'memberships.identity_id')
      .leftJoin('project_members', (join) =>
        join
          .onRef('project_members.project_id', '=', 'api_keys.project_id')
          .onRef('project_members.member_id', '=', 'mcp_key_people.person_id'),
      )
      .select(['api_keys.project_id', 'api_keys.access_tools', 'mcp_key_people.person_id'])
      .select(['memberships.role', 'project_members.role as project_role', 'identities.disabled_at_ms'])
      .where('api_keys.id', '=', keyId)
      .where('api_keys.account_id', '=', accountId)
      .where('api_keys.revoked_at_ms', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { project_id: projectId, access_tools: tools, person_id: personId, role, project_role } = row;
    const isMember = personId !== null && role !== null && row.disabled_at_ms === null;
    const roles: readonly Role[] = [role, project_role].flatMap((name) =>
      name === null ? [] : roleOf(name),
    );
    return { projectId, tools: toList(tools), person: isMember ? { id: personId, roles } : undefined };
  }
}
