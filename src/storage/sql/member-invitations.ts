import type { Kysely, Transaction } from 'kysely';
import type {
  AcceptanceFailure,
  InvitedAccount,
  MemberInvitation,
  MemberInvitations,
  MemberInvitationUse,
} from '../../kernel/ports/member-invitations.ts';
import { accountColumns, lockAccount, toAccount } from './accounts.ts';
import { foldEmail } from './identities.ts';
import { countMembers, roleOf } from './members.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlMemberInvitations implements MemberInvitations {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(invitation: MemberInvitation, most: number): ReturnType<MemberInvitations['add']> {
    const { accountId, email, createdAtMs } = invitation;
    const folded = email === null ? null : foldEmail(email);
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      if (folded !== null && (await isMemberByAddress(trx, accountId, folded))) return 'already_member';
      const ofAccount = trx.deleteFrom('member_invitations').where('account_id', '=', accountId);
      await ofAccount.where('expires_at_ms', '<=', createdAtMs).execute();
      if (folded !== null) await ofAccount.where('email_folded', '=', folded).execute();
      const { open } = await trx
        .selectFrom('member_invitations')
        .select(({ fn }) => fn.countAll<number>().as('open'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      if (Number(open) >= most) return 'limit_reached';
      await trx
        .insertInto('member_invitations')
        .values({
          id: invitation.id,
          account_id: accountId,
          email,
          email_folded: folded,
          role: invitation.role,
          hash: invitation.hash,
          invited_by: invitation.invitedBy,
          created_at_ms: createdAtMs,
          expires_at_ms: invitation.expiresAtMs,
        })
        .execute();
      return 'added';
    });
  }

  async list(accountId: string, nowMs: number): Promise<readonly MemberInvitation[]> {
    const rows = await this.#db
      .selectFrom('member_invitations')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('expires_at_ms', '>', nowMs)
      .orderBy('created_at_ms', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toInvitation);
  }

  async revoke(accountId: string, id: string): Promise<MemberInvitation | undefined> {
    const row = await this.#db
      .deleteFrom('member_invitations')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst();
    return row && toInvitation(row);
  }

  async find(hash: string, nowMs: number): Promise<InvitedAccount | undefined> {
    const row = await this.#db
      .selectFrom('member_invitations')
      .innerJoin('users', 'users.id', 'member_invitations.account_id')
      .select([...columns, ...accountColumns])
      .where('hash', '=', hash)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return row && { invitation: toInvitation(row), account: toAccount(row) };
  }

  accept(use: MemberInvitationUse): Promise<MemberInvitation | AcceptanceFailure> {
    return this.#db.transaction().execute(async (trx) => {
      const found = await trx
        .selectFrom('member_invitations')
        .select('account_id')
        .where('hash', '=', use.hash)
        .executeTakeFirst();
      if (found === undefined) return 'unknown';
      await lockAccount(trx, this.#locksRows, found.account_id);
      const row = await trx
        .selectFrom('member_invitations')
        .innerJoin('users', 'users.id', 'member_invitations.account_id')
        .select([...columns, 'member_invitations.email_folded'])
        .where('hash', '=', use.hash)
        .where('expires_at_ms', '>', use.nowMs)
        .executeTakeFirst();
      if (row === undefined) return 'unknown';
      if (row.email_folded !== null && row.email_folded !== foldEmail(use.email)) return 'other_address';
      const failure = await findObstacle(trx, row.account_id, use);
      if (failure !== undefined) return failure;
      await trx.deleteFrom('member_invitations').where('id', '=', row.id).execute();
      await trx
        .insertInto('memberships')
        .values({
          identity_id: use.identityId,
          account_id: row.account_id,
          role: row.role,
          created_at_ms: use.nowMs,
        })
        .execute();
      return toInvitation(row);
    });
  }
}

async function findObstacle(
  trx: Transaction<Tables>,
  accountId: string,
  { identityId, membersMax, membershipsMax }: MemberInvitationUse,
): Promise<AcceptanceFailure | undefined> {
  const memberships = await trx
    .selectFrom('memberships')
    .select('account_id')
    .where('identity_id', '=', identityId)
    .execute();
  // The person may have been deleted meanwhile.
  if (memberships.length === 0) return 'unknown';
  if (memberships.some(({ account_id }) => account_id === accountId)) return 'already_member';
  if (memberships.length >= membershipsMax) return 'limit_reached';
  return (await countMembers(trx, accountId)) >= membersMax ? 'limit_reached' : undefined;
}

async function isMemberByAddress(
  trx: Transaction<Tables>,
  accountId: string,
  emailFolded: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('memberships')
    .innerJoin('identities', 'identities.id', 'memberships.identity_id')
    .select('identities.id')
    .where('memberships.account_id', '=', accountId)
    .where('identities.email_folded', '=', emailFolded)
    .executeTakeFirst();
  return row !== undefined;
}

const columns = [
  'member_invitations.id',
  'member_invitations.account_id',
  'member_invitations.email',
  'member_invitations.role',
  'member_invitations.hash',
  'member_invitations.invited_by',
  'member_invitations.created_at_ms',
  'member_invitations.expires_at_ms',
] as const;

function toInvitation(row: Omit<Tables['member_invitations'], 'email_folded'>): MemberInvitation {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    role: roleOf(row.role),
    hash: row.hash,
    invitedBy: row.invited_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
