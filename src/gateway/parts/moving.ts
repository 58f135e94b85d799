import type { Module } from '../../kernel/module.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
import { limits } from '../../moving/limits.ts';
import { movingRoutes } from '../../server/api/routes/moving.ts';
import type { Log } from '../../telemetry/log.ts';
import { Mover } from '../mover.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface MovingParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly modules: ReadonlyMap<string, Module>;
}

/** Files that move an account between instances. */
export function movingPart({ settings, log, roots, stores, modules }: MovingParts): Part {
  const { versions, rateLimiter } = stores.shared;
  const mover = new Mover({
    ...{ settings, roots, modules, database: stores.database, clock: stores.clock },
    renew: async (accountId) => versions.renew(accountId),
  });
  const recovery = new PeriodicTask({
    intervalMs: limits.recoverMs,
    async run(signal) {
      while (!signal.aborted && (await mover.recoverSome()));
    },
    onError: (err) => log.error({ err }, 'could not complete an import; will retry'),
  });
  recovery.trigger();
  recovery.start();
  return {
    routes: movingRoutes({ mover, attempts: rateLimiter }),
    features: ['moving'],
    close: () => recovery.stop(),
  };
}
