import type { Kysely, Transaction } from 'kysely';
import type {
  NewScimGroup,
  ScimChange,
  ScimGroup,
  ScimGroupFields,
  ScimGroupMember,
  ScimGroups,
  ScimMemberChange,
  ScimOutcome,
  ScimPage,
  ScimQuery,
} from '../../kernel/ports/scim.ts';
import { lockAccount } from './accounts.ts';
import { foldEmail } from './identities.ts';
import { groupCondition } from './scim-filter.ts';
import { settleMemberships } from './scim-memberships.ts';
import { fromScimGroup, nextVersion, refusable, ScimRefused, toScimGroup } from './scim-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** Rows that are written at a time: databases limit the parameters of a statement. */
const chunkSize = 1000;

export class SqlScimGroups implements ScimGroups {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  find(accountId: string, id: string): Promise<ScimGroup | undefined> {
    return findGroup(this.#db, accountId, id);
  }

  async page(accountId: string, { filter, offset, limit }: ScimQuery): Promise<ScimPage<ScimGroup>> {
    const matching = this.#db
      .selectFrom('scim_groups')
      .where('account_id', '=', accountId)
      .$if(filter !== undefined, (query) =>
        filter === undefined ? query : query.where(groupCondition(filter)),
      );
    const { total } = await matching
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    if (limit === 0) return { total: Number(total), items: [] };
    const rows = await matching
      .selectAll()
      .orderBy('created_at_ms')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    return { total: Number(total), items: rows.map(toScimGroup) };
  }

  async count(accountId: string): Promise<number> {
    const { total } = await this.page(accountId, { filter: undefined, offset: 0, limit: 0 });
    return total;
  }

  async members(
    accountId: string,
    groupIds: readonly string[],
    most: number,
  ): Promise<readonly ScimGroupMember[]> {
    if (groupIds.length === 0) return [];
    return this.#db
      .selectFrom('scim_group_members')
      .innerJoin('scim_users', 'scim_users.id', 'scim_group_members.user_id')
      .select(['group_id as groupId', 'user_id as userId', 'scim_users.user_name as userName'])
      .where('scim_group_members.account_id', '=', accountId)
      .where('group_id', 'in', groupIds)
      .orderBy('group_id')
      .orderBy('user_id')
      .limit(most)
      .execute();
  }

  async memberCounts(accountId: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (groupIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('scim_group_members')
      .select(({ fn }) => ['group_id', fn.countAll<number>().as('members')])
      .where('account_id', '=', accountId)
      .where('group_id', 'in', groupIds)
      .groupBy('group_id')
      .execute();
    return new Map(rows.map(({ group_id, members }) => [group_id, Number(members)]));
  }

  add(
    { group, members }: NewScimGroup,
    { groupsMax }: { readonly groupsMax: number },
  ): Promise<ScimOutcome<ScimGroup>> {
    return this.#locked(group.accountId, async (trx) => {
      const { count } = await trx
        .selectFrom('scim_groups')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', group.accountId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= groupsMax) throw new ScimRefused('limit_reached');
      await requireUnique(trx, group);
      await trx.insertInto('scim_groups').values(fromScimGroup(group)).execute();
      const changed = await changeMembers(trx, group, members);
      return settled(trx, { resource: group, users: changed, nowMs: group.createdAtMs });
    });
  }

  change({
    accountId,
    id,
    ifVersion,
    nowMs,
    change,
    members,
  }: ScimChange<ScimGroupFields> & { readonly members: ScimMemberChange }): Promise<ScimOutcome<ScimGroup>> {
    return this.#locked(accountId, async (trx) => {
      const before = await requireVersion(trx, { accountId, id, ifVersion });
      const after: ScimGroup = { ...before, ...change(before), updatedAtMs: nextVersion(before, nowMs) };
      await requireUnique(trx, after);
      await trx.updateTable('scim_groups').set(fromScimGroup(after)).where('id', '=', id).execute();
      const isRenamed = before.displayName !== after.displayName || before.externalId !== after.externalId;
      const others = isRenamed ? await memberIds(trx, id) : [];
      const changed = await changeMembers(trx, after, members);
      return settled(trx, { resource: after, users: [...new Set([...others, ...changed])], nowMs });
    });
  }

  remove({
    accountId,
    id,
    ifVersion,
    nowMs,
  }: Omit<ScimChange<never>, 'change'>): Promise<ScimOutcome<ScimGroup>> {
    return this.#locked(accountId, async (trx) => {
      const resource = await requireVersion(trx, { accountId, id, ifVersion });
      const users = await memberIds(trx, id);
      await trx.deleteFrom('scim_group_members').where('group_id', '=', id).execute();
      await trx.deleteFrom('scim_groups').where('id', '=', id).execute();
      return settled(trx, { resource, users, nowMs });
    });
  }

  #locked<Result>(accountId: string, change: (trx: Transaction<Tables>) => Promise<Result>) {
    return refusable(
      this.#db.transaction().execute(async (trx) => {
        await lockAccount(trx, this.#locksRows, accountId);
        return change(trx);
      }),
    );
  }
}

interface SettledGroup {
  readonly resource: ScimGroup;
  /** Whose roles may have changed. */
  readonly users: readonly string[];
  readonly nowMs: number;
}

async function settled(trx: Transaction<Tables>, { resource, users, nowMs }: SettledGroup) {
  const { accountId } = resource;
  const members = await settleMemberships(trx, { accountId, nowMs }, users);
  return { resource, effects: { members, takenOver: [] } };
}

async function findGroup(db: Kysely<Tables>, accountId: string, id: string): Promise<ScimGroup | undefined> {
  const row = await db
    .selectFrom('scim_groups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toScimGroup(row);
}

async function requireVersion(
  trx: Transaction<Tables>,
  { accountId, id, ifVersion }: Pick<ScimChange<never>, 'accountId' | 'id' | 'ifVersion'>,
): Promise<ScimGroup> {
  const group = await findGroup(trx, accountId, id);
  if (group === undefined) throw new ScimRefused('unknown');
  if (ifVersion !== undefined && group.updatedAtMs !== ifVersion) throw new ScimRefused('changed');
  return group;
}

async function requireUnique(
  trx: Transaction<Tables>,
  { id, accountId, displayName }: ScimGroup,
): Promise<void> {
  const other = await trx
    .selectFrom('scim_groups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('display_name_folded', '=', foldEmail(displayName))
    .where('id', '<>', id)
    .executeTakeFirst();
  if (other !== undefined) throw new ScimRefused('name_taken');
}

async function memberIds(trx: Transaction<Tables>, groupId: string): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('scim_group_members')
    .select('user_id')
    .where('group_id', '=', groupId)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Resolves to the users who are in the group only before or only after. */
async function changeMembers(
  trx: Transaction<Tables>,
  { id, accountId }: ScimGroup,
  { keepsOthers, added, removed }: ScimMemberChange,
): Promise<readonly string[]> {
  if (keepsOthers && added.size + removed.size === 0) return [];
  const before = new Set(await memberIds(trx, id));
  const entering = [...added].filter((user) => !before.has(user));
  const leaving = [...before].filter((user) => removed.has(user) || (!keepsOthers && !added.has(user)));
  for (const chunk of chunksOf(leaving))
    await trx
      .deleteFrom('scim_group_members')
      .where('group_id', '=', id)
      .where('user_id', 'in', chunk)
      .execute();
  for (const chunk of chunksOf(entering)) {
    const known = await trx
      .selectFrom('scim_users')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', 'in', chunk)
      .execute();
    if (known.length < chunk.length) throw new ScimRefused('unknown_member');
    await trx
      .insertInto('scim_group_members')
      .values(chunk.map((user) => ({ account_id: accountId, group_id: id, user_id: user })))
      .execute();
  }
  return [...entering, ...leaving];
}

function chunksOf(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / chunkSize) }, (_, at) =>
    ids.slice(at * chunkSize, (at + 1) * chunkSize),
  );
}
