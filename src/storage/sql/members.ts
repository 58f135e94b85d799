import { type Kysely, sql, type Transaction } from 'kysely';
import {
  type IdentityId,
  type ListedMember,
  type Member,
  type MemberChange,
  type MemberId,
  type MemberPage,
  type Members,
  type OwnerPosition,
  type Role,
  roles,
} from '../../kernel/ports/identities.ts';
import { accountColumns, lockAccount, toAccount } from './accounts.ts';
import { deleteMcpRows, foldEmail, identityColumns, toIdentity, userRowId } from './identities.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlMembers implements Members {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async find(id: IdentityId, accountId: string): Promise<Member | undefined> {
    const row = await this.#select()
      .where('memberships.identity_id', '=', id)
      .where('memberships.account_id', '=', accountId)
      .executeTakeFirst();
    return row && toMember(row);
  }

  async ofIdentity(id: IdentityId): Promise<readonly Member[]> {
    const rows = await this.#select()
      .where('memberships.identity_id', '=', id)
      .orderBy('memberships.created_at_ms')
      .orderBy('memberships.account_id')
      .execute();
    return rows.map(toMember);
  }

  async owner(accountId: string): Promise<Member | undefined> {
    const row = await this.#select()
      .where('memberships.account_id', '=', accountId)
      .where('memberships.role', '=', 'owner')
      .orderBy('memberships.created_at_ms')
      .orderBy('memberships.identity_id')
      .limit(1)
      .executeTakeFirst();
    return row && toMember(row);
  }

  async owners(after: OwnerPosition | undefined, limit: number): Promise<readonly Member[]> {
    const rows = await this.#select()
      .where('memberships.role', '=', 'owner')
      .$if(after !== undefined, (query) =>
        query.where(
          sql<boolean>`(identities.email_folded, memberships.account_id)
            > (${foldEmail(after?.email ?? '')}, ${after?.accountId ?? ''})`,
        ),
      )
      .orderBy('identities.email_folded')
      .orderBy('memberships.account_id')
      .limit(limit)
      .execute();
    return rows.map(toMember);
  }

  async page(accountId: string, { after, search, limit }: MemberPage): Promise<readonly ListedMember[]> {
    const rows = await this.#db
      .selectFrom('memberships')
      .innerJoin('identities', 'identities.id', 'memberships.identity_id')
      .select(['identities.id', 'identities.email', 'identities.verified_at_ms'])
      .select(['memberships.role', 'memberships.created_at_ms'])
      .where('memberships.account_id', '=', accountId)
      .$if(after !== undefined, (query) =>
        query.where(
          sql<boolean>`(memberships.created_at_ms, memberships.identity_id)
            > (${after?.sinceMs ?? 0}, ${after?.identityId ?? ''})`,
        ),
      )
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`identities.email_folded like ${patternOf(search ?? '')} escape '!'`),
      )
      .orderBy('memberships.created_at_ms')
      .orderBy('memberships.identity_id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      identityId: row.id,
      email: row.email,
      verified: row.verified_at_ms !== null,
      role: roleOf(row.role),
      sinceMs: row.created_at_ms,
    }));
  }

  count(accountId: string): Promise<number> {
    return countMembers(this.#db, accountId);
  }

  changeRole(member: MemberId, role: Role): Promise<MemberChange> {
    return this.#change(member, role, async (trx) => {
      await trx.updateTable('memberships').set({ role }).where(isMembership(member)).execute();
    });
  }

  remove(member: MemberId): Promise<MemberChange> {
    return this.#change(member, undefined, (trx) => removeMembership(trx, member));
  }

  /** The lock keeps two owners from leaving at the same time. */
  #change(
    member: MemberId,
    role: Role | undefined,
    apply: (trx: Transaction<Tables>) => Promise<void>,
  ): Promise<MemberChange> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, member.accountId);
      const current = await trx
        .selectFrom('memberships')
        .select('role')
        .where(isMembership(member))
        .executeTakeFirst();
      if (current === undefined) return 'unknown';
      if (current.role === 'owner' && role !== 'owner' && !(await mayStopOwning(trx, member)))
        return 'last_owner';
      await apply(trx);
      return 'changed';
    });
  }

  #select() {
    return this.#db
      .selectFrom('memberships')
      .innerJoin('identities', 'identities.id', 'memberships.identity_id')
      .innerJoin('users', 'users.id', 'memberships.account_id')
      .select([...identityColumns, ...accountColumns, 'memberships.role']);
  }
}

/** With what the person has in the account as a member. */
export async function removeMembership(trx: Transaction<Tables>, member: MemberId): Promise<void> {
  await trx.deleteFrom('sessions').where(isMembership(member)).execute();
  await trx.deleteFrom('sign_on_subjects').where(isMembership(member)).execute();
  await trx
    .deleteFrom('project_members')
    .where('account_id', '=', member.accountId)
    .where('member_id', '=', String(member.identityId))
    .execute();
  await deleteMcpRows(trx, member.identityId, member.accountId);
  await trx.deleteFrom('memberships').where(isMembership(member)).execute();
}

export function isMembership({ accountId, identityId }: MemberId) {
  return sql<boolean>`account_id = ${accountId} and identity_id = ${identityId}`;
}

export async function mayStopOwning(
  trx: Transaction<Tables>,
  { accountId, identityId }: MemberId,
): Promise<boolean> {
  if (userRowId(identityId) === accountId) return false;
  const other = await trx
    .selectFrom('memberships')
    .select('identity_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .where('identity_id', '<>', identityId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export async function countMembers(db: Kysely<Tables>, accountId: string): Promise<number> {
  const { members } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('members'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(members);
}

/** Matches addresses that contain the text. */
function patternOf(search: string): string {
  return `%${foldEmail(search).replaceAll(/[!%_]/g, '!$&')}%`;
}

type MemberRow = Parameters<typeof toIdentity>[0] &
  Parameters<typeof toAccount>[0] & { readonly role: string };

function toMember(row: MemberRow): Member {
  return { identity: toIdentity(row), account: toAccount(row), role: roleOf(row.role) };
}

export function roleOf(name: string): Role {
  const role = roles.find((known) => known === name);
  if (role === undefined)
    throw new Error(`the database has a role "${name}", which this version of Weir does not know`);
  return role;
}
