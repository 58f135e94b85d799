import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const patternTables = [
  'patterns',
  'pattern_owners',
  'pattern_calls',
  'pattern_gists',
  'pattern_trials',
  'outcomes',
] as const;

/**
 * Deletes a tenant's rows of tables that collections have superseded. The previous release may still write to them;
 * a later release drops them.
 */
export async function forgetSupersededRows(db: Kysely<Tables>, scope: string): Promise<void> {
  await db.deleteFrom('archive').where('scope', '=', scope).execute();
  for (const table of patternTables) await db.deleteFrom(table).where('owner', '=', scope).execute();
}
