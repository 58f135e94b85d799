import type { PointSigner } from '../../audit/signed-points.ts';
import { auditRoutes } from '../../server/api/routes/audit.ts';
import type { Part } from '../part.ts';
import type { Stores } from './stores.ts';

interface AuditLogParts {
  readonly stores: Stores;
  readonly signer: PointSigner;
}

/** Reading and exporting the audit log. */
export function auditLogPart({ stores, signer }: AuditLogParts): Part {
  const { database, clock, shared } = stores;
  const table = database.audit;
  return { routes: auditRoutes({ table, signer, clock, attempts: shared.rateLimiter }) };
}
