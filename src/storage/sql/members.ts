import type { Kysely } from 'kysely';
import {
  type IdentityId,
  type Member,
  type Members,
  type Role,
  roles,
} from '../../kernel/ports/identities.ts';
import { accountColumns, toAccount } from './accounts.ts';
import { foldEmail, identityColumns, toIdentity } from './identities.ts';
import type { Tables } from './tables.ts';

export class SqlMembers implements Members {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
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

  async owners(afterEmail: string, limit: number): Promise<readonly Member[]> {
    const rows = await this.#select()
      .where('memberships.role', '=', 'owner')
      .where('identities.email_folded', '>', foldEmail(afterEmail))
      .orderBy('identities.email_folded')
      .limit(limit)
      .execute();
    return rows.map(toMember);
  }

  #select() {
    return this.#db
      .selectFrom('memberships')
      .innerJoin('identities', 'identities.id', 'memberships.identity_id')
      .innerJoin('users', 'users.id', 'memberships.account_id')
      .select([...identityColumns, ...accountColumns, 'memberships.role']);
  }
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
