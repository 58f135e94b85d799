import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Deletes a tenant's rows of tables that collections have superseded. The previous release may still write to them;
 * a later release drops them.
 */
export async function forgetSupersededRows(db: Kysely<Tables>, scope: string): Promise<void> {
  await db.deleteFrom('archive').where('scope', '=', scope).execute();
}
