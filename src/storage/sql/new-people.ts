import type { Transaction } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import { insertPerson, userRowId } from './identities.ts';
import type { Tables } from './tables.ts';

/** Somebody else has added a person with this address meanwhile. */
class AddressConflict extends Error {}

interface NewPerson {
  readonly id: IdentityId;
  readonly email: string;
  readonly nowMs: number;
}

/** Adds a person for whose address an organization vouches; part of an `addingPeople`. */
export async function addPerson(trx: Transaction<Tables>, { id, email, nowMs }: NewPerson): Promise<void> {
  const identity = { id, email, createdAtMs: nowMs, verifiedAtMs: nowMs };
  const account = { id: userRowId(id), tier: 'free', period: undefined } as const;
  if (!(await insertPerson(trx, { identity, account })))
    throw new AddressConflict('somebody else added a person with this address at the same moment');
}

/** Runs a transaction, and again if somebody else has added the person meanwhile: then it finds them. */
export async function addingPeople<Result>(transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    if (error instanceof AddressConflict) return transaction();
    throw error;
  }
}
