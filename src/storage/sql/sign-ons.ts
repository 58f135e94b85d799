import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { type IdentityId, roles } from '../../kernel/ports/identities.ts';
import type { EnforcedSignOn, SignOn, SignOns } from '../../kernel/ports/sign-on.ts';
import { lockAccount } from './accounts.ts';
import { roleOf } from './members.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const groupRolesSchema = z.array(z.strictObject({ group: z.string(), role: z.enum(roles) }));

export class SqlSignOns implements SignOns {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  find(accountId: string): Promise<SignOn | undefined> {
    return findSignOn(this.#db, accountId);
  }

  put(signOn: SignOn, before: number | undefined): Promise<'stored' | 'changed'> {
    const { accountId } = signOn;
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const stored = await findSignOn(trx, accountId);
      if (stored?.updatedAtMs !== before) return 'changed';
      const row = toRow(signOn);
      await trx
        .insertInto('sign_ons')
        .values(row)
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
        .execute();
      if (stored !== undefined && stored.issuer !== signOn.issuer) await endSignOnSessions(trx, accountId);
      if (signOn.isEnforced) await endPasswordSessions(trx, signOn);
      return 'stored';
    });
  }

  delete(accountId: string): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const { numDeletedRows } = await trx
        .deleteFrom('sign_ons')
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      await endSignOnSessions(trx, accountId);
      return numDeletedRows === 1n;
    });
  }

  async enforcedFor(identityId: IdentityId, domain: string): Promise<EnforcedSignOn | undefined> {
    const row = await this.#db
      .selectFrom('sign_on_domains')
      .innerJoin('sign_ons', 'sign_ons.account_id', 'sign_on_domains.account_id')
      .innerJoin('memberships', 'memberships.account_id', 'sign_on_domains.account_id')
      .select(['sign_ons.account_id', 'sign_ons.break_glass', 'memberships.role'])
      .where('sign_on_domains.domain', '=', domain)
      .where('sign_on_domains.proven_at_ms', 'is not', null)
      .where('sign_ons.enforced', '=', 1)
      .where('memberships.identity_id', '=', identityId)
      .executeTakeFirst();
    return (
      row && {
        accountId: row.account_id,
        isBreakGlass: row.break_glass === identityId && row.role === 'owner',
      }
    );
  }
}

export async function findSignOn(db: Kysely<Tables>, accountId: string): Promise<SignOn | undefined> {
  const row = await db
    .selectFrom('sign_ons')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && toSignOn(row);
}

async function endSignOnSessions(trx: Transaction<Tables>, accountId: string): Promise<void> {
  await trx
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('sign_on_subject', 'is not', null)
    .execute();
}

/** Of members with an address of a proven domain. Domains have no characters with a meaning in patterns. */
async function endPasswordSessions(
  trx: Transaction<Tables>,
  { accountId, breakGlass }: Pick<SignOn, 'accountId' | 'breakGlass'>,
): Promise<void> {
  const ofDomains = trx
    .selectFrom('identities')
    .innerJoin('sign_on_domains', (join) =>
      join.on(sql<boolean>`identities.email_folded like '%@' || sign_on_domains.domain`),
    )
    .select('identities.id')
    .where('sign_on_domains.account_id', '=', accountId)
    .where('sign_on_domains.proven_at_ms', 'is not', null);
  await trx
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('sign_on_subject', 'is', null)
    .where('identity_id', 'in', ofDomains)
    .$if(breakGlass !== undefined, (query) => query.where(sql<boolean>`identity_id <> ${breakGlass}`))
    .execute();
}

function toRow(signOn: SignOn): Tables['sign_ons'] {
  return {
    account_id: signOn.accountId,
    issuer: signOn.issuer,
    client_id: signOn.clientId,
    sealed_by: signOn.secret?.sealedBy ?? null,
    sealed: signOn.secret?.sealed ?? null,
    groups_claim: signOn.groupsClaim ?? null,
    group_roles: JSON.stringify(signOn.groupRoles),
    default_role: signOn.defaultRole ?? null,
    enforced: Number(signOn.isEnforced),
    break_glass: signOn.breakGlass ?? null,
    updated_at_ms: signOn.updatedAtMs,
  };
}

function toSignOn(row: Tables['sign_ons']): SignOn {
  const { sealed_by: sealedBy, sealed } = row;
  return {
    accountId: row.account_id,
    issuer: row.issuer,
    clientId: row.client_id,
    secret: sealedBy === null || sealed === null ? undefined : { sealedBy, sealed },
    groupsClaim: row.groups_claim ?? undefined,
    groupRoles: groupRolesSchema.parse(JSON.parse(row.group_roles)),
    defaultRole: row.default_role === null ? undefined : roleOf(row.default_role),
    isEnforced: row.enforced === 1,
    breakGlass: row.break_glass ?? undefined,
    updatedAtMs: row.updated_at_ms,
  };
}
