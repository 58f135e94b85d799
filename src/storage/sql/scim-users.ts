import type { Kysely, Transaction } from 'kysely';
import type {
  ScimChange,
  ScimEffects,
  ScimOutcome,
  ScimPage,
  ScimQuery,
  ScimUser,
  ScimUserFields,
  ScimUsers,
} from '../../kernel/ports/scim.ts';
import { lockAccounts } from './accounts.ts';
import { foldEmail } from './identities.ts';
import { addingPeople } from './new-people.ts';
import { userCondition } from './scim-filter.ts';
import { endMembership, ensurePerson, settleMemberships } from './scim-memberships.ts';
import { fromScimUser, nextVersion, refusable, ScimRefused, toScimUser } from './scim-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlScimUsers implements ScimUsers {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async find(accountId: string, id: string): Promise<ScimUser | undefined> {
    const row = await findRow(this.#db, accountId, id);
    return row && toScimUser(row);
  }

  async page(accountId: string, { filter, offset, limit }: ScimQuery): Promise<ScimPage<ScimUser>> {
    const matching = this.#db
      .selectFrom('scim_users')
      .where('account_id', '=', accountId)
      .$if(filter !== undefined, (query) =>
        filter === undefined ? query : query.where(userCondition(filter)),
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
    return { total: Number(total), items: rows.map(toScimUser) };
  }

  async count(accountId: string): Promise<{ readonly users: number; readonly active: number }> {
    const { users, active } = await this.#db
      .selectFrom('scim_users')
      .select(({ fn }) => [fn.countAll<number>().as('users'), fn.sum<number>('active').as('active')])
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return { users: Number(users), active: Number(active ?? 0) };
  }

  add(user: ScimUser, { usersMax }: { readonly usersMax: number }): Promise<ScimOutcome<ScimUser>> {
    return this.#locked(user.accountId, user.email, async (trx) => {
      const { count } = await trx
        .selectFrom('scim_users')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', user.accountId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= usersMax) throw new ScimRefused('limit_reached');
      await requireUnique(trx, user);
      await trx
        .insertInto('scim_users')
        .values({ ...fromScimUser(user), identity_id: null, suspended: null })
        .execute();
      return this.#settled(trx, user, user.createdAtMs);
    });
  }

  async change({
    accountId,
    id,
    ifVersion,
    nowMs,
    change,
  }: ScimChange<ScimUserFields>): Promise<ScimOutcome<ScimUser>> {
    // The rows of accounts are locked in the order of their ids, and before that of a person is known.
    const known = await this.find(accountId, id);
    if (known === undefined) return 'unknown';
    return this.#locked(accountId, change(known).email, async (trx) => {
      const before = await requireVersion(trx, { accountId, id, ifVersion });
      const after: ScimUser = { ...before, ...change(before), updatedAtMs: nextVersion(before, nowMs) };
      await requireUnique(trx, after);
      await trx.updateTable('scim_users').set(fromScimUser(after)).where('id', '=', id).execute();
      return this.#settled(trx, after, nowMs);
    });
  }

  remove({ accountId, id, ifVersion }: Omit<ScimChange<never>, 'change'>): Promise<ScimOutcome<ScimUser>> {
    return this.#locked(accountId, undefined, async (trx) => {
      const resource = await requireVersion(trx, { accountId, id, ifVersion });
      const members = await endMembership(trx, accountId, id);
      await trx.deleteFrom('scim_group_members').where('user_id', '=', id).execute();
      await trx.deleteFrom('scim_users').where('id', '=', id).execute();
      return { resource, effects: { members, takenOver: [] } };
    });
  }

  async settle(accountId: string, nowMs: number): Promise<ScimEffects> {
    const members = await this.#db.transaction().execute(async (trx) => {
      await lockAccounts(trx, this.#locksRows, [accountId]);
      return settleMemberships(trx, { accountId, nowMs }, undefined);
    });
    return { members, takenOver: [] };
  }

  async #settled(trx: Transaction<Tables>, resource: ScimUser, nowMs: number) {
    const { accountId, id } = resource;
    const takenOver = resource.isActive ? await this.#bindPerson(trx, resource, nowMs) : [];
    const members = await settleMemberships(trx, { accountId, nowMs }, [id]);
    return { resource, effects: { members, takenOver } };
  }

  /** The person stays the same, whatever the address is later. */
  async #bindPerson(trx: Transaction<Tables>, { id, accountId, email }: ScimUser, nowMs: number) {
    const row = await findRow(trx, accountId, id);
    if (row?.identity_id != null) return [];
    const { identityId, takenOver } = await ensurePerson(trx, { email, nowMs, locksRows: this.#locksRows });
    const other = await trx
      .selectFrom('scim_users')
      .select('id')
      .where('account_id', '=', accountId)
      .where('identity_id', '=', identityId)
      .executeTakeFirst();
    if (other !== undefined) throw new ScimRefused('email_taken');
    await trx.updateTable('scim_users').set({ identity_id: identityId }).where('id', '=', id).execute();
    return takenOver;
  }

  /** Locks the organization, and the account of a person with this address. */
  #locked<Result>(
    accountId: string,
    email: string | undefined,
    change: (trx: Transaction<Tables>) => Promise<Result>,
  ) {
    return addingPeople(async () => {
      const person = email === undefined ? undefined : await findPerson(this.#db, email);
      const accountIds = [accountId, ...(person === undefined ? [] : [String(person.id)])];
      return refusable(
        this.#db.transaction().execute(async (trx) => {
          await lockAccounts(trx, this.#locksRows, accountIds);
          return change(trx);
        }),
      );
    });
  }
}

function findPerson(db: Kysely<Tables>, email: string) {
  return db
    .selectFrom('identities')
    .select('id')
    .where('email_folded', '=', foldEmail(email))
    .executeTakeFirst();
}

function findRow(
  db: Kysely<Tables>,
  accountId: string,
  id: string,
): Promise<Tables['scim_users'] | undefined> {
  return db
    .selectFrom('scim_users')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

async function requireVersion(
  trx: Transaction<Tables>,
  { accountId, id, ifVersion }: Pick<ScimChange<never>, 'accountId' | 'id' | 'ifVersion'>,
): Promise<ScimUser> {
  const row = await findRow(trx, accountId, id);
  if (row === undefined) throw new ScimRefused('unknown');
  if (ifVersion !== undefined && row.updated_at_ms !== ifVersion) throw new ScimRefused('changed');
  return toScimUser(row);
}

/** Throws if another user has the name or the address. */
async function requireUnique(trx: Transaction<Tables>, { id, accountId, userName, email }: ScimUser) {
  const [name, address] = [foldEmail(userName), foldEmail(email)];
  const others = await trx
    .selectFrom('scim_users')
    .select('user_name_folded')
    .where('account_id', '=', accountId)
    .where('id', '<>', id)
    .where((the) => the.or([the('user_name_folded', '=', name), the('email_folded', '=', address)]))
    .execute();
  const [other] = others;
  if (other === undefined) return;
  throw new ScimRefused(others.some((one) => one.user_name_folded === name) ? 'name_taken' : 'email_taken');
}
