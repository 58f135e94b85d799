import { Sealer } from '../../accounts/sealer.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import { startTidying } from '../../storage/collection-tidying.ts';
import { ModuleStoresWithCollections } from '../../storage/module-stores.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Stores } from './stores.ts';

interface ModuleStoresParts {
  readonly stores: Stores;
  readonly roots: RootSecrets;
  readonly log: Log;
}

interface ModuleStoresPart extends Part {
  readonly moduleStores: ModuleStores;
  /** Encrypts the values of sealed collections. */
  readonly moduleSealer: Sealer;
}

/** What modules store for accounts. */
export function moduleStoresPart({ stores, roots, log }: ModuleStoresParts): ModuleStoresPart {
  const { database } = stores;
  // Named after its first content; another name would make that unreadable.
  const sealer = new Sealer(roots.deriveKeys('archive'));
  const tidying = startTidying(database.collections, {
    clock: stores.clock,
    onError: (err) => log.error({ err }, 'could not delete expired entries of modules'),
  });
  return {
    moduleStores: new ModuleStoresWithCollections({
      values: database.modules,
      entries: database.collections,
      sealer,
      clock: stores.clock,
    }),
    moduleSealer: sealer,
    close: () => tidying.stop(),
  };
}
