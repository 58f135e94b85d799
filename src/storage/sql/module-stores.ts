import type { Kysely } from 'kysely';
import type { KeyValueStore, KeyValueStores } from '../../kernel/ports/module-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { validateStoreName } from '../module-entry-validation.ts';
import { SqlModuleStore } from './module-store.ts';
import type { Tables } from './tables.ts';

export class SqlModuleStores implements KeyValueStores {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  store(module: string, scope: string): KeyValueStore {
    return this.#store(validateStoreName(module), validateStoreName(scope));
  }

  async forget(scope: string): Promise<void> {
    const stores = await this.#db
      .selectFrom('module_stores')
      .select('module')
      .where('scope', '=', validateStoreName(scope))
      .execute();
    for (const { module } of stores) {
      const store = this.#store(module, scope);
      for (let more = true; more; ) more = await store.deleteSome();
    }
  }

  #store(module: string, scope: string): SqlModuleStore {
    return new SqlModuleStore(this.#db, this.#clock, { module, scope });
  }
}
