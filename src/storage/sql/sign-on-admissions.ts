import type { Kysely, Transaction } from 'kysely';
import type { IdentityId, Role } from '../../kernel/ports/identities.ts';
import type {
  Admission,
  AdmittedPerson,
  Arrival,
  SignOn,
  SignOnAdmissions,
} from '../../kernel/ports/sign-on.ts';
import { lockAccounts } from './accounts.ts';
import { foldEmail, updatePerson, userRowId } from './identities.ts';
import { countMembers, isMembership, mayStopOwning, removeMembership, roleOf } from './members.ts';
import { addingPeople, addPerson } from './new-people.ts';
import { scimRoleOf, scimUserOf } from './scim-memberships.ts';
import { findSignOn } from './sign-ons.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { ownAccounts, revokeUnverifiedAccess } from './unverified-access.ts';

interface KnownPerson {
  readonly identityId: IdentityId;
  readonly isVerified: boolean;
}

export class SqlSignOnAdmissions implements SignOnAdmissions {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  admit(arrival: Arrival): Promise<Admission> {
    return addingPeople(() => this.#admitOnce(arrival));
  }

  async #admitOnce(arrival: Arrival): Promise<Admission> {
    // The rows of accounts are locked in the order of their ids, and before that of a person is known.
    const known = await this.#personOf(this.#db, arrival);
    const personId = typeof known === 'object' ? userRowId(known.identityId) : undefined;
    return this.#db.transaction().execute(async (trx) => {
      await lockAccounts(trx, this.#locksRows, [
        arrival.accountId,
        ...(personId === undefined ? [] : [personId]),
      ]);
      return this.#admitLocked(trx, arrival);
    });
  }

  async #admitLocked(trx: Transaction<Tables>, arrival: Arrival): Promise<Admission> {
    const { accountId } = arrival;
    const signOn = await findSignOn(trx, accountId);
    if (signOn?.issuer !== arrival.issuer) return { outcome: 'no_role' };
    const found = await this.#personOf(trx, arrival);
    if (found === 'other_subject' || found === 'disabled') return { outcome: found };
    const user = await scimUserOf(trx, accountId, { identityId: found?.identityId, email: arrival.email });
    if (user?.active === 0) return { outcome: 'deactivated' };
    // Of people whom the identity provider manages by SCIM, it says the groups there.
    const managed = user && {
      role: await scimRoleOf(trx, signOn, user.id),
      followsGroups: signOn.groupRoles.length > 0,
    };
    return this.#admitPerson(trx, { ...arrival, ...managed }, { signOn, found });
  }

  async #admitPerson(
    trx: Transaction<Tables>,
    arrival: Arrival,
    { signOn, found }: { readonly signOn: SignOn; readonly found: KnownPerson | undefined },
  ): Promise<Admission> {
    const { accountId, role } = arrival;
    const membership = found && (await membershipOf(trx, accountId, found.identityId));
    const isBreakGlass = found !== undefined && signOn.breakGlass === found.identityId;
    if (found !== undefined && membership !== undefined) {
      const settled = isBreakGlass
        ? membership
        : await settleRole(trx, { ...arrival, identityId: found.identityId, current: membership });
      if (settled === undefined) return { outcome: 'no_role' };
      const takenOver = await this.#proveAddress(trx, found, arrival);
      await bind(trx, arrival, found.identityId);
      return admitted({ identityId: found.identityId, role: settled, roleBefore: membership, takenOver });
    }
    if (role === undefined) return { outcome: 'no_role' };
    if (await isFull(trx, arrival, found?.identityId)) return { outcome: 'limit_reached' };
    const identityId = found?.identityId ?? arrival.newId;
    if (found === undefined) await addPerson(trx, { ...arrival, id: identityId });
    const takenOver = found === undefined ? [] : await this.#proveAddress(trx, found, arrival);
    await trx
      .insertInto('memberships')
      .values({ identity_id: identityId, account_id: accountId, role, created_at_ms: arrival.nowMs })
      .execute();
    await bind(trx, arrival, identityId);
    return admitted({ identityId, role, roleBefore: undefined, takenOver, isNewPerson: found === undefined });
  }

  /** By the subject, or the first time by the address. */
  async #personOf(
    db: Kysely<Tables>,
    { accountId, issuer, subject, email }: Arrival,
  ): Promise<KnownPerson | 'other_subject' | 'disabled' | undefined> {
    const select = selectPeople(db);
    const bound = await select
      .innerJoin('sign_on_subjects', 'sign_on_subjects.identity_id', 'identities.id')
      .where('sign_on_subjects.account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    const row = bound ?? (await this.#byAddress(db, select, { accountId, email }));
    if (row === undefined) return undefined;
    if (row.disabled_at_ms !== null) return 'disabled';
    if (bound === undefined && (await hasSubject(db, { accountId, issuer, identityId: row.id })))
      return 'other_subject';
    return { identityId: row.id, isVerified: bound !== undefined || row.verified_at_ms !== null };
  }

  /** The identity provider may have changed the address by SCIM since the person is known. */
  async #byAddress(
    db: Kysely<Tables>,
    select: ReturnType<typeof selectPeople>,
    { accountId, email }: Pick<Arrival, 'accountId' | 'email'>,
  ) {
    const user = await scimUserOf(db, accountId, { email });
    return user?.identity_id == null
      ? select.where('email_folded', '=', foldEmail(email)).executeTakeFirst()
      : select.where('identities.id', '=', user.identity_id).executeTakeFirst();
  }

  /** The provider vouches for the address: whoever signed up with it, unverified, may be somebody else. */
  async #proveAddress(
    trx: Transaction<Tables>,
    { identityId, isVerified }: KnownPerson,
    { nowMs }: Arrival,
  ): Promise<readonly string[]> {
    if (isVerified) return [];
    await updatePerson(trx, identityId, { verified_at_ms: nowMs, password_hash: '' }).execute();
    const accountIds = await ownAccounts(trx, identityId);
    await revokeUnverifiedAccess(trx, { identityId, accountIds, nowMs, locksRows: this.#locksRows });
    return accountIds;
  }

  async endSessions(
    accountId: string,
    { subject, sid }: Parameters<SignOnAdmissions['endSessions']>[1],
  ): Promise<number> {
    if (subject === undefined && sid === undefined) return 0;
    const { numDeletedRows } = await this.#db
      .deleteFrom('sessions')
      .where('account_id', '=', accountId)
      .where('sign_on_subject', 'is not', null)
      .$if(subject !== undefined, (query) => query.where('sign_on_subject', '=', subject ?? ''))
      .$if(sid !== undefined, (query) => query.where('sign_on_sid', '=', sid ?? ''))
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

function selectPeople(db: Kysely<Tables>) {
  return db.selectFrom('identities').select(['identities.id', 'verified_at_ms', 'disabled_at_ms']);
}

function admitted(
  person: Omit<AdmittedPerson, 'isNewPerson'> & { readonly isNewPerson?: boolean },
): Admission {
  return { outcome: 'admitted', person: { isNewPerson: false, ...person } };
}

async function hasSubject(
  db: Kysely<Tables>,
  {
    accountId,
    issuer,
    identityId,
  }: Pick<Arrival, 'accountId' | 'issuer'> & { readonly identityId: IdentityId },
): Promise<boolean> {
  const row = await db
    .selectFrom('sign_on_subjects')
    .select('subject')
    .where('account_id', '=', accountId)
    .where('issuer', '=', issuer)
    .where('identity_id', '=', identityId)
    .executeTakeFirst();
  return row !== undefined;
}

async function membershipOf(
  trx: Transaction<Tables>,
  accountId: string,
  identityId: IdentityId,
): Promise<Role | undefined> {
  const row = await trx
    .selectFrom('memberships')
    .select('role')
    .where(isMembership({ accountId, identityId }))
    .executeTakeFirst();
  return row && roleOf(row.role);
}

/** The role that the member has from now on; undefined if the groups give none. The last owner stays one. */
async function settleRole(
  trx: Transaction<Tables>,
  {
    accountId,
    identityId,
    current,
    role,
    followsGroups,
  }: Arrival & { readonly identityId: IdentityId; readonly current: Role },
): Promise<Role | undefined> {
  if (!followsGroups) return current;
  if (role === current) return current;
  const member = { accountId, identityId };
  if (current === 'owner' && !(await mayStopOwning(trx, member))) return current;
  if (role !== undefined) {
    await trx.updateTable('memberships').set({ role }).where(isMembership(member)).execute();
    return role;
  }
  // What they could do so far must not go on.
  await removeMembership(trx, member);
  return undefined;
}

async function isFull(
  trx: Transaction<Tables>,
  { accountId, membersMax, membershipsMax }: Arrival,
  identityId: IdentityId | undefined,
): Promise<boolean> {
  if ((await countMembers(trx, accountId)) >= membersMax) return true;
  if (identityId === undefined) return false;
  const { accounts } = await trx
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('accounts'))
    .where('identity_id', '=', identityId)
    .executeTakeFirstOrThrow();
  return Number(accounts) >= membershipsMax;
}

async function bind(
  trx: Transaction<Tables>,
  { accountId, issuer, subject, nowMs }: Arrival,
  identityId: IdentityId,
): Promise<void> {
  await trx
    .insertInto('sign_on_subjects')
    .values({ account_id: accountId, issuer, subject, identity_id: identityId, since_ms: nowMs })
    .onConflict((conflict) => conflict.columns(['account_id', 'issuer', 'subject']).doNothing())
    .execute();
}
