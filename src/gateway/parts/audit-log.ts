import { chainKeeper } from '../../audit/chain-keeper.ts';
import type { PointSigner } from '../../audit/signed-points.ts';
import { auditRoutes } from '../../server/api/routes/audit.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface AuditLogParts {
  readonly settings: Pick<Settings, 'auditRetentionMs' | 'auditDaysMin'>;
  readonly log: Log;
  readonly stores: Stores;
  readonly signer: PointSigner;
}

/** Reading, signing and shortening the audit log. */
export function auditLogPart({ settings, log, stores, signer }: AuditLogParts): Part {
  const { database, clock, shared } = stores;
  const table = database.audit;
  const keeper = chainKeeper({
    table,
    signer,
    clock,
    retentionMs: settings.auditRetentionMs,
    leastMs: settings.auditDaysMin * 86_400_000,
    retentions: database.dataRetentions,
    onError: (err) => log.error({ err }, 'could not sign or shorten the audit log; will retry'),
    onTampered: (chain) => log.error({ chain }, 'the audit log was changed by others: run weir audit verify'),
    onSigned: ({ number, hash }) => log.info({ number, hash }, 'the audit log of the instance was signed'),
  });
  keeper.start();
  return {
    routes: auditRoutes({ table, signer, clock, attempts: shared.rateLimiter }),
    close: () => keeper.stop(),
  };
}
