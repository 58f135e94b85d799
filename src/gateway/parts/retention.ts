import { retainedDataCleaner } from '../../calls/retained-data-cleaner.ts';
import { holdRoutes } from '../../server/api/routes/legal-holds.ts';
import { retentionRoutes } from '../../server/api/routes/retention.ts';
import type { Log } from '../../telemetry/log.ts';
import type { AccountRetentions } from '../../telemetry/request-log/account-retentions.ts';
import type { Part } from '../part.ts';
import { retentionBounds } from '../retention-bounds.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface RetentionParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly stores: Stores;
  readonly retentions: AccountRetentions;
}

/** How long accounts keep their data, and legal holds. */
export function retentionPart({ settings, log, stores, retentions }: RetentionParts): Part {
  if (settings.mode !== 'cloud') return {};
  const { database, clock } = stores;
  const cleaner = retainedDataCleaner({
    table: database.dataRetentions,
    clock,
    onError: (err) => log.error({ err }, 'could not delete what accounts keep no longer; will retry'),
  });
  cleaner.start();
  const bounds = retentionBounds(settings);
  return {
    routes: [
      ...retentionRoutes({ retentions: database.dataRetentions, calls: retentions, bounds }),
      ...holdRoutes({ holds: database.legalHolds, clock }),
    ],
    features: ['retention'],
    close: () => cleaner.stop(),
  };
}
