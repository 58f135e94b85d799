import { evidenceRoute } from '../../server/api/routes/evidence.ts';
import { openEvidence } from '../evidence.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface EvidencePartParts {
  readonly settings: Settings;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** Evidence bundles of accounts. */
export async function evidencePart({
  settings,
  roots: rootSecrets,
  stores,
}: EvidencePartParts): Promise<Part> {
  if (settings.mode !== 'cloud') return {};
  const { database, clock, shared } = stores;
  const evidence = await openEvidence({ settings, roots: rootSecrets, database, clock });
  return { routes: [evidenceRoute({ evidence, attempts: shared.rateLimiter })], features: ['evidence'] };
}
