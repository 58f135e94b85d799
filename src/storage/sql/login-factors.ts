import type { Kysely, Transaction } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import type {
  ChallengePurpose,
  LoginChallenge,
  LoginFactors,
  Passkey,
  SecondFactor,
} from '../../kernel/ports/login-factors.ts';
import { lockAccount } from './accounts.ts';
import { userRowId } from './identities.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlLoginFactors implements LoginFactors {
  readonly #db: Kysely<Tables>;
  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async passkeys(identityId: IdentityId): Promise<readonly Passkey[]> {
    const rows = await this.#db
      .selectFrom('passkeys')
      .selectAll()
      .where('identity_id', '=', identityId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(toPasskey);
  }

  async passkey(id: string): Promise<Passkey | undefined> {
    const row = await this.#db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toPasskey(row);
  }

  addPasskey(passkey: Passkey, most: number): Promise<'added' | 'exists' | 'too_many'> {
    const { id, identityId, publicKey, counter, transports, name, isBackedUp, createdAtMs } = passkey;
    return this.#lockPerson(identityId, async (trx) => {
      if ((await countPasskeys(trx, identityId)) >= most) return 'too_many';
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('passkeys')
        .values({
          ...{ id, identity_id: identityId, public_key: publicKey, counter, name },
          transports: JSON.stringify(transports),
          backed_up: Number(isBackedUp),
          created_at_ms: createdAtMs,
          used_at_ms: null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n ? 'added' : 'exists';
    });
  }

  async recordPasskeyUse({
    id,
    counter,
    usedAtMs,
    isBackedUp,
  }: Pick<Passkey, 'id' | 'counter' | 'usedAtMs' | 'isBackedUp'>): Promise<void> {
    await this.#db
      .updateTable('passkeys')
      .set({ counter, used_at_ms: usedAtMs ?? null, backed_up: Number(isBackedUp) })
      .where('id', '=', id)
      .execute();
  }

  removePasskey(identityId: IdentityId, id: string): Promise<'removed' | 'unknown' | 'needed'> {
    return this.#lockPerson(identityId, async (trx) => {
      const own = trx.selectFrom('passkeys').select('id').where('identity_id', '=', identityId);
      if ((await own.where('id', '=', id).executeTakeFirst()) === undefined) return 'unknown';
      const isOn = (await factorOf(trx, identityId)) !== undefined;
      if (isOn && (await countPasskeys(trx, identityId)) === 1) return 'needed';
      await trx.deleteFrom('passkeys').where('id', '=', id).execute();
      return 'removed';
    });
  }

  async secondFactor(identityId: IdentityId): Promise<SecondFactor | undefined> {
    const factor = await factorOf(this.#db, identityId);
    if (factor === undefined) return undefined;
    const { left } = await this.#db
      .selectFrom('recovery_codes')
      .select((the) => the.fn.countAll<number | bigint>().as('left'))
      .where('identity_id', '=', identityId)
      .executeTakeFirstOrThrow();
    return { sinceMs: factor.since_ms, recoveryCodesLeft: Number(left) };
  }

  setSecondFactor(
    identityId: IdentityId,
    { sinceMs, codeHashes }: { readonly sinceMs: number; readonly codeHashes: readonly string[] },
  ): Promise<boolean> {
    return this.#lockPerson(identityId, async (trx) => {
      if ((await countPasskeys(trx, identityId)) === 0) return false;
      await trx
        .insertInto('second_factors')
        .values({ identity_id: identityId, since_ms: sinceMs })
        .onConflict((conflict) => conflict.column('identity_id').doNothing())
        .execute();
      await trx.deleteFrom('recovery_codes').where('identity_id', '=', identityId).execute();
      await trx
        .insertInto('recovery_codes')
        .values(codeHashes.map((hash) => ({ identity_id: identityId, hash })))
        .execute();
      return true;
    });
  }

  clearSecondFactor(identityId: IdentityId): Promise<boolean> {
    return this.#lockPerson(identityId, async (trx) => {
      await trx.deleteFrom('recovery_codes').where('identity_id', '=', identityId).execute();
      const { numDeletedRows } = await trx
        .deleteFrom('second_factors')
        .where('identity_id', '=', identityId)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    });
  }

  async consumeRecoveryCode(identityId: IdentityId, hash: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('recovery_codes')
      .where('identity_id', '=', identityId)
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async addChallenge(loginChallenge: LoginChallenge, nowMs: number): Promise<void> {
    const { hash, challenge, purpose, identityId, expiresAtMs } = loginChallenge;
    await this.#db.deleteFrom('login_challenges').where('expires_at_ms', '<=', nowMs).execute();
    await this.#db
      .insertInto('login_challenges')
      .values({ hash, challenge, purpose, identity_id: identityId ?? null, expires_at_ms: expiresAtMs })
      .execute();
  }

  async challenge(
    hash: string,
    purpose: ChallengePurpose,
    nowMs: number,
  ): Promise<LoginChallenge | undefined> {
    const row = await this.#db
      .selectFrom('login_challenges')
      .selectAll()
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { challenge, identity_id: identityId, expires_at_ms: expiresAtMs } = row;
    return { hash, challenge, purpose, ...(identityId !== null && { identityId }), expiresAtMs };
  }

  async consumeChallenge(hash: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('login_challenges')
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  /** Changes of one person's factors run one after the other. */
  #lockPerson<Result>(
    identityId: IdentityId,
    run: (trx: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, userRowId(identityId));
      return run(trx);
    });
  }
}

async function countPasskeys(trx: Transaction<Tables>, identityId: IdentityId): Promise<number> {
  const { passkeys } = await trx
    .selectFrom('passkeys')
    .select((the) => the.fn.countAll<number | bigint>().as('passkeys'))
    .where('identity_id', '=', identityId)
    .executeTakeFirstOrThrow();
  return Number(passkeys);
}

function factorOf(db: Kysely<Tables>, identityId: IdentityId) {
  return db
    .selectFrom('second_factors')
    .select('since_ms')
    .where('identity_id', '=', identityId)
    .executeTakeFirst();
}

function toPasskey(row: Tables['passkeys']): Passkey {
  return {
    id: row.id,
    identityId: row.identity_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: JSON.parse(row.transports),
    name: row.name,
    isBackedUp: row.backed_up === 1,
    createdAtMs: row.created_at_ms,
    ...(row.used_at_ms !== null && { usedAtMs: row.used_at_ms }),
  };
}
