import type { Kysely } from 'kysely';
import type { GatewayProcess, Processes } from '../../kernel/ports/processes.ts';
import type { Tables } from './tables.ts';

export class SqlProcesses implements Processes {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async see({ startedAtMs, seenAtMs, ...about }: GatewayProcess): Promise<void> {
    await this.#db
      .insertInto('gateway_processes')
      .values({ ...about, started_at_ms: startedAtMs, seen_at_ms: seenAtMs })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ seen_at_ms: seenAtMs, configuration: about.configuration }),
      )
      .execute();
  }

  async list(sinceMs: number): Promise<readonly GatewayProcess[]> {
    return this.#db
      .selectFrom('gateway_processes')
      .select(['id', 'host', 'pid', 'version', 'revision', 'configuration'])
      .select(['started_at_ms as startedAtMs', 'seen_at_ms as seenAtMs'])
      .where('seen_at_ms', '>=', sinceMs)
      .orderBy('host')
      .orderBy('started_at_ms')
      .orderBy('id')
      .execute();
  }

  async removeLost(beforeMs: number): Promise<void> {
    await this.#db.deleteFrom('gateway_processes').where('seen_at_ms', '<', beforeMs).execute();
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('gateway_processes').where('id', '=', id).execute();
  }
}
