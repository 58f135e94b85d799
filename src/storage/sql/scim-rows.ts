import { z } from 'zod';
import type { ScimGroup, ScimRefusal, ScimUser } from '../../kernel/ports/scim.ts';
import { foldEmail } from './identities.ts';
import type { Tables } from './tables.ts';

const nameSchema = z.strictObject({
  formatted: z.string().optional(),
  givenName: z.string().optional(),
  familyName: z.string().optional(),
});

export function toScimUser(row: Tables['scim_users']): ScimUser {
  return {
    id: row.id,
    accountId: row.account_id,
    userName: row.user_name,
    externalId: row.external_id,
    email: row.email,
    isActive: row.active === 1,
    displayName: row.display_name,
    name: nameSchema.parse(JSON.parse(row.name)),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

/** Without the person and what a deactivated one had. */
export function fromScimUser(user: ScimUser): Omit<Tables['scim_users'], 'identity_id' | 'suspended'> {
  return {
    id: user.id,
    account_id: user.accountId,
    user_name: user.userName,
    user_name_folded: foldEmail(user.userName),
    external_id: user.externalId,
    email: user.email,
    email_folded: foldEmail(user.email),
    active: Number(user.isActive),
    display_name: user.displayName,
    name: JSON.stringify(user.name),
    created_at_ms: user.createdAtMs,
    updated_at_ms: user.updatedAtMs,
  };
}

export function toScimGroup(row: Tables['scim_groups']): ScimGroup {
  return {
    id: row.id,
    accountId: row.account_id,
    displayName: row.display_name,
    externalId: row.external_id,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

export function fromScimGroup(group: ScimGroup): Tables['scim_groups'] {
  return {
    id: group.id,
    account_id: group.accountId,
    display_name: group.displayName,
    display_name_folded: foldEmail(group.displayName),
    external_id: group.externalId,
    created_at_ms: group.createdAtMs,
    updated_at_ms: group.updatedAtMs,
  };
}

/** Thrown within a transaction, which it undoes. */
export class ScimRefused extends Error {
  readonly refusal: ScimRefusal;

  constructor(refusal: ScimRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/** Undoes the transaction of a change that is refused. */
export async function refusable<Result>(change: Promise<Result>): Promise<Result | ScimRefusal> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ScimRefused) return error.refusal;
    throw error;
  }
}

/** Later than before also if the clock stands still. */
export function nextVersion({ updatedAtMs }: { readonly updatedAtMs: number }, nowMs: number): number {
  return Math.max(nowMs, updatedAtMs + 1);
}
