import type { Kysely } from 'kysely';
import type { Member } from '../../kernel/ports/identities.ts';
import type { Invitation, Invitations, InvitationUse } from '../../kernel/ports/invitations.ts';
import { foldEmail, insertPerson } from './identities.ts';
import type { Tables } from './tables.ts';

export class SqlInvitations implements Invitations {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async put({ email, hash, createdAtMs, expiresAtMs }: Invitation): Promise<void> {
    const set = { email, hash, created_at_ms: createdAtMs, expires_at_ms: expiresAtMs };
    await this.#db.deleteFrom('invitations').where('expires_at_ms', '<=', createdAtMs).execute();
    await this.#db
      .insertInto('invitations')
      .values({ email_folded: foldEmail(email), ...set })
      .onConflict((conflict) => conflict.column('email_folded').doUpdateSet(set))
      .execute();
  }

  list(nowMs: number): Promise<readonly Invitation[]> {
    return this.#db
      .selectFrom('invitations')
      .select(['email', 'hash', 'created_at_ms as createdAtMs', 'expires_at_ms as expiresAtMs'])
      .where('expires_at_ms', '>', nowMs)
      .orderBy('email_folded')
      .execute();
  }

  async revoke(email: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('invitations')
      .where('email_folded', '=', foldEmail(email))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  async isOpen({ hash, email, nowMs }: InvitationUse): Promise<boolean> {
    const row = await this.#db
      .selectFrom('invitations')
      .select('hash')
      .where('email_folded', '=', foldEmail(email))
      .where('hash', '=', hash)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return row !== undefined;
  }

  accept(
    { hash, email, nowMs }: InvitationUse,
    owner: Pick<Member, 'identity' | 'account'>,
  ): ReturnType<Invitations['accept']> {
    return this.#db.transaction().execute(async (trx) => {
      const used = await trx
        .deleteFrom('invitations')
        .where('email_folded', '=', foldEmail(email))
        .where('hash', '=', hash)
        .where('expires_at_ms', '>', nowMs)
        .returning('hash')
        .executeTakeFirst();
      if (used === undefined) return 'not_invited';
      return (await insertPerson(trx, owner)) ? 'accepted' : 'email_taken';
    });
  }
}
