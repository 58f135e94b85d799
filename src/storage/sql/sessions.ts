import { type Kysely, sql } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import type { MemberSession, Sessions, StoredSession } from '../../kernel/ports/sessions.ts';
import { sessionsOf } from './identities.ts';
import { roleOf } from './members.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** Earlier builds store no person, who then has the id of the account. */
const identityId = sql<IdentityId>`coalesce(sessions.identity_id, sessions.account_id)`;

const columns = [
  'sessions.id',
  'sessions.account_id as accountId',
  identityId.as('identityId'),
  'sessions.client',
  'sessions.created_at_ms as createdAtMs',
  'sessions.used_at_ms as usedAtMs',
  'sessions.expires_at_ms as expiresAtMs',
  'sessions.sign_on_subject',
  'sessions.sign_on_sid',
] as const;

export class SqlSessions implements Sessions {
  readonly #db: Kysely<Tables>;
  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  begin(session: StoredSession, passwordHash: string | undefined, most: number): Promise<boolean> {
    const { id, accountId, client, createdAtMs, usedAtMs, expiresAtMs, signOn } = session;
    return this.#db.transaction().execute(async (trx) => {
      // Serializes with password changes: a later one finds this session, an earlier one prevents it.
      const member = await trx
        .selectFrom('identities')
        .innerJoin('memberships', 'memberships.identity_id', 'identities.id')
        .select('identities.id')
        .where('identities.id', '=', session.identityId)
        .where('memberships.account_id', '=', accountId)
        .where('disabled_at_ms', 'is', null)
        .$if(passwordHash !== undefined, (query) => query.where('password_hash', '=', passwordHash ?? ''))
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (member === undefined) return false;
      await trx.deleteFrom('sessions').where('expires_at_ms', '<=', createdAtMs).execute();
      const newest = trx
        .selectFrom('sessions')
        .select('id')
        .where(sessionsOf(session.identityId))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(most - 1);
      await trx
        .deleteFrom('sessions')
        .where(sessionsOf(session.identityId))
        .where('id', 'not in', newest)
        .execute();
      await trx
        .insertInto('sessions')
        .values({
          id,
          account_id: accountId,
          identity_id: session.identityId,
          client,
          created_at_ms: createdAtMs,
          used_at_ms: usedAtMs,
          expires_at_ms: expiresAtMs,
          sign_on_subject: signOn?.subject ?? null,
          sign_on_sid: signOn?.sid ?? null,
        })
        .execute();
      return true;
    });
  }

  async find(id: string): Promise<MemberSession | undefined> {
    const row = await this.#db
      .selectFrom('sessions')
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.account_id', '=', 'sessions.account_id')
          .on('memberships.identity_id', '=', identityId),
      )
      .select([...columns, 'memberships.role'])
      .where('sessions.id', '=', id)
      .executeTakeFirst();
    return row && { ...toSession(row), role: roleOf(row.role) };
  }

  async list(person: IdentityId, nowMs: number): Promise<readonly StoredSession[]> {
    const rows = await this.#db
      .selectFrom('sessions')
      .select(columns)
      .where(sessionsOf(person))
      .where('expires_at_ms', '>', nowMs)
      .orderBy('created_at_ms', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toSession);
  }

  async touch(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('sessions').set({ used_at_ms: atMs }).where('id', '=', id).execute();
  }

  async end(person: IdentityId, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where(sessionsOf(person))
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }
}

interface SessionRow extends Omit<StoredSession, 'signOn'> {
  readonly sign_on_subject: string | null;
  readonly sign_on_sid: string | null;
}

function toSession({ sign_on_subject: subject, sign_on_sid: sid, ...session }: SessionRow): StoredSession {
  return subject === null ? session : { ...session, signOn: { subject, sid: sid ?? undefined } };
}
