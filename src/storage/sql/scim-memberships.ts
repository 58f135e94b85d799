import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import {
  highestRole,
  type IdentityId,
  identityIdOf,
  type Role,
  roles,
} from '../../kernel/ports/identities.ts';
import type { ScimEffect } from '../../kernel/ports/scim.ts';
import type { SignOn } from '../../kernel/ports/sign-on.ts';
import { foldEmail, updatePerson } from './identities.ts';
import { isMembership, mayStopOwning, removeMembership, roleOf } from './members.ts';
import { addPerson } from './new-people.ts';
import { ScimRefused } from './scim-rows.ts';
import { findSignOn } from './sign-ons.ts';
import type { Tables } from './tables.ts';
import { ownAccounts, revokeUnverifiedAccess } from './unverified-access.ts';

const suspendedSchema = z.strictObject({
  role: z.enum(roles),
  projects: z.array(z.strictObject({ id: z.string(), role: z.string() })),
});

interface MembershipScope {
  readonly accountId: string;
  readonly nowMs: number;
}

/** A user with the present membership. */
interface UserStanding {
  readonly id: string;
  readonly isActive: boolean;
  readonly identityId: IdentityId;
  readonly suspended: string | null;
  readonly current: Role | undefined;
}

/** Users that are read at a time. */
const chunkSize = 500;

/** Makes memberships follow users and their groups; those of `userIds`, or of all. */
export async function settleMemberships(
  trx: Transaction<Tables>,
  settling: MembershipScope,
  userIds: readonly string[] | undefined,
): Promise<readonly ScimEffect[]> {
  const { accountId } = settling;
  const signOn = await findSignOn(trx, accountId);
  const groups = await groupsWithRole(trx, accountId, signOn);
  const ids = userIds ?? (await allUserIds(trx, accountId));
  const effects: ScimEffect[] = [];
  for (let at = 0; at < ids.length; at += chunkSize) {
    const chunk = ids.slice(at, at + chunkSize);
    const groupRoles = await rolesByUser(trx, groups, chunk);
    const given = new Map<Role, IdentityId[]>();
    const entering: NewMembership[] = [];
    for (const user of await standingsOf(trx, accountId, chunk)) {
      const after = await settleOne(trx, settling, {
        user,
        signOn,
        groupRole: groupRoles.get(user.id),
        ...{ given, entering },
      });
      if (after !== user.current) effects.push({ identityId: user.identityId, before: user.current, after });
    }
    if (entering.length > 0) await addMemberships(trx, settling, entering);
    for (const [role, people] of given)
      await trx
        .updateTable('memberships')
        .set({ role })
        .where('account_id', '=', accountId)
        .where('identity_id', 'in', people)
        .execute();
  }
  return effects;
}

/** The role of a user by groups; undefined if neither groups nor the default give one. */
export async function scimRoleOf(
  trx: Kysely<Tables>,
  signOn: SignOn,
  userId: string,
): Promise<Role | undefined> {
  const groups = await groupsWithRole(trx, signOn.accountId, signOn);
  return (await rolesByUser(trx, groups, [userId])).get(userId) ?? signOn.defaultRole;
}

/** The user with this person, or without one with this address. */
export async function scimUserOf(
  db: Kysely<Tables>,
  accountId: string,
  who: { readonly identityId?: IdentityId | undefined; readonly email: string },
): Promise<Pick<Tables['scim_users'], 'id' | 'active' | 'identity_id'> | undefined> {
  const select = db
    .selectFrom('scim_users')
    .select(['id', 'active', 'identity_id'])
    .where('account_id', '=', accountId);
  const { identityId, email } = who;
  const known =
    identityId === undefined
      ? undefined
      : await select.where('identity_id', '=', identityId).executeTakeFirst();
  return known ?? select.where('email_folded', '=', foldEmail(email)).executeTakeFirst();
}

/** The person with an address, made if there is none. Accounts that somebody made with it, unverified, are taken over. */
export async function ensurePerson(
  trx: Transaction<Tables>,
  {
    email,
    nowMs,
    locksRows,
  }: { readonly email: string; readonly nowMs: number; readonly locksRows: boolean },
): Promise<{ readonly identityId: IdentityId; readonly takenOver: readonly string[] }> {
  const found = await trx
    .selectFrom('identities')
    .select(['id', 'verified_at_ms'])
    .where('email_folded', '=', foldEmail(email))
    .executeTakeFirst();
  if (found === undefined) {
    const identityId = identityIdOf(randomUUID());
    await addPerson(trx, { id: identityId, email, nowMs });
    return { identityId, takenOver: [] };
  }
  const { id: identityId } = found;
  if (found.verified_at_ms !== null) return { identityId, takenOver: [] };
  // The organization vouches for the address: whoever signed up with it may be somebody else.
  await updatePerson(trx, identityId, { verified_at_ms: nowMs, password_hash: '' }).execute();
  const takenOver = await ownAccounts(trx, identityId);
  await revokeUnverifiedAccess(trx, { identityId, accountIds: takenOver, nowMs, locksRows });
  return { identityId, takenOver };
}

/** Ends the membership of a user who is removed. Throws if the organization needs the owner. */
export async function endMembership(
  trx: Transaction<Tables>,
  accountId: string,
  userId: string,
): Promise<readonly ScimEffect[]> {
  const [user] = await standingsOf(trx, accountId, [userId]);
  if (user?.current === undefined) return [];
  const { identityId, current: before } = user;
  await requireDispensable(trx, { accountId, identityId, role: before }, await findSignOn(trx, accountId));
  await removeMembership(trx, { accountId, identityId });
  return [{ identityId, before, after: undefined }];
}

interface SettledUser {
  readonly user: UserStanding;
  readonly signOn: SignOn | undefined;
  readonly groupRole: Role | undefined;
  /** Roles to be given to members, who are changed at once. */
  readonly given: Map<Role, IdentityId[]>;
  /** Memberships that are added at once. */
  readonly entering: NewMembership[];
}

async function settleOne(
  trx: Transaction<Tables>,
  { accountId, nowMs }: MembershipScope,
  { user, signOn, groupRole, given, entering }: SettledUser,
): Promise<Role | undefined> {
  const { identityId, current, isActive } = user;
  const member = { accountId, identityId };
  if (!isActive) {
    if (current === undefined) return undefined;
    await requireDispensable(trx, { ...member, role: current }, signOn);
    await suspend(trx, user, accountId);
    return undefined;
  }
  const followsGroups = (signOn?.groupRoles.length ?? 0) > 0;
  const wanted = groupRole ?? signOn?.defaultRole;
  if (current === undefined) return join(trx, { ...user, accountId, nowMs, wanted, followsGroups, entering });
  if (!followsGroups || wanted === current || signOn?.breakGlass === identityId) return current;
  if (current === 'owner' && !(await mayStopOwning(trx, member))) return current;
  if (wanted === undefined) {
    await suspend(trx, user, accountId);
    return undefined;
  }
  // Of several owners who stop being one, each must see those before.
  if (current === 'owner')
    await trx.updateTable('memberships').set({ role: wanted }).where(isMembership(member)).execute();
  else given.set(wanted, [...(given.get(wanted) ?? []), identityId]);
  return wanted;
}

interface NewMembership {
  readonly identityId: IdentityId;
  readonly role: Role;
}

interface Joining extends UserStanding, MembershipScope {
  readonly wanted: Role | undefined;
  readonly followsGroups: boolean;
  readonly entering: NewMembership[];
}

/** Makes a member, with the roles from before a deactivation. */
async function join(
  trx: Transaction<Tables>,
  { id, accountId, identityId, nowMs, suspended, wanted, followsGroups, entering }: Joining,
): Promise<Role | undefined> {
  const before = suspended === null ? undefined : suspendedSchema.parse(JSON.parse(suspended));
  const role = followsGroups ? wanted : (before?.role ?? wanted);
  if (role === undefined) return undefined;
  // An owner counts for those who stop being one.
  if (before === undefined && role !== 'owner') {
    entering.push({ identityId, role });
    return role;
  }
  await addMemberships(trx, { accountId, nowMs }, [{ identityId, role }]);
  if (before === undefined) return role;
  for (const project of before.projects)
    await sql`insert into project_members (project_id, member_id, account_id, role, created_at_ms)
      select id, ${identityId}, account_id, ${project.role}, ${nowMs} from projects
      where id = ${project.id} and account_id = ${accountId}
      on conflict do nothing`.execute(trx);
  await trx.updateTable('scim_users').set({ suspended: null }).where('id', '=', id).execute();
  return role;
}

function addMemberships(
  trx: Transaction<Tables>,
  { accountId, nowMs }: MembershipScope,
  added: readonly NewMembership[],
) {
  return trx
    .insertInto('memberships')
    .values(
      added.map(({ identityId, role }) => ({
        ...{ identity_id: identityId, account_id: accountId, role },
        created_at_ms: nowMs,
      })),
    )
    .execute();
}

/** Ends a membership, whose roles come back when the user is active again. */
async function suspend(
  trx: Transaction<Tables>,
  { id, identityId, current: role }: UserStanding,
  accountId: string,
): Promise<void> {
  const projects = await trx
    .selectFrom('project_members')
    .select(['project_id as id', 'role'])
    .where('account_id', '=', accountId)
    .where('member_id', '=', String(identityId))
    .execute();
  await trx
    .updateTable('scim_users')
    .set({ suspended: JSON.stringify({ role, projects }) })
    .where('id', '=', id)
    .execute();
  await removeMembership(trx, { accountId, identityId });
}

/** Throws if the organization needs the owner. */
async function requireDispensable(
  trx: Transaction<Tables>,
  { accountId, identityId, role }: { accountId: string; identityId: IdentityId; role: Role },
  signOn: SignOn | undefined,
): Promise<void> {
  const isNeeded =
    role === 'owner' &&
    (signOn?.breakGlass === identityId || !(await mayStopOwning(trx, { accountId, identityId })));
  if (isNeeded) throw new ScimRefused('owner_needed');
}

async function standingsOf(
  trx: Transaction<Tables>,
  accountId: string,
  userIds: readonly string[],
): Promise<readonly UserStanding[]> {
  if (userIds.length === 0) return [];
  const rows = await trx
    .selectFrom('scim_users')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.identity_id', '=', 'scim_users.identity_id')
        .onRef('memberships.account_id', '=', 'scim_users.account_id'),
    )
    .select(['scim_users.id', 'scim_users.active', 'scim_users.identity_id', 'scim_users.suspended'])
    .select('memberships.role')
    .where('scim_users.account_id', '=', accountId)
    .where('scim_users.id', 'in', userIds)
    .where('scim_users.identity_id', 'is not', null)
    .execute();
  return rows.flatMap(({ id, active, identity_id: identityId, suspended, role }) =>
    identityId === null
      ? []
      : [
          {
            id,
            isActive: active === 1,
            identityId,
            suspended,
            current: role === null ? undefined : roleOf(role),
          },
        ],
  );
}

async function allUserIds(trx: Transaction<Tables>, accountId: string): Promise<readonly string[]> {
  const rows = await trx.selectFrom('scim_users').select('id').where('account_id', '=', accountId).execute();
  return rows.map(({ id }) => id);
}

/** The groups that have a role, by id. They are named as people see them, or by their id at the identity provider. */
async function groupsWithRole(
  db: Kysely<Tables>,
  accountId: string,
  signOn: SignOn | undefined,
): Promise<ReadonlyMap<string, Role>> {
  const { groupRoles = [] } = signOn ?? {};
  if (groupRoles.length === 0) return new Map();
  const names = groupRoles.map(({ group }) => group);
  const rows = await db
    .selectFrom('scim_groups')
    .select(['id', 'display_name', 'external_id'])
    .where('account_id', '=', accountId)
    .where((the) => the.or([the('display_name', 'in', names), the('external_id', 'in', names)]))
    .execute();
  return new Map(
    rows.flatMap(({ id, display_name, external_id }) => {
      const matching = groupRoles.filter(({ group }) => group === display_name || group === external_id);
      const role = highestRole(matching.map(({ role }) => role));
      return role === undefined ? [] : [[id, role] as const];
    }),
  );
}

async function rolesByUser(
  db: Kysely<Tables>,
  groups: ReadonlyMap<string, Role>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Role>> {
  if (groups.size === 0) return new Map();
  const rows = await db
    .selectFrom('scim_group_members')
    .select(['user_id', 'group_id'])
    .where('user_id', 'in', userIds)
    .where('group_id', 'in', [...groups.keys()])
    .execute();
  const found = new Map<string, Role>();
  for (const { user_id, group_id } of rows) {
    const held = [found.get(user_id), groups.get(group_id)].filter((role) => role !== undefined);
    const highest = highestRole(held);
    if (highest !== undefined) found.set(user_id, highest);
  }
  return found;
}
