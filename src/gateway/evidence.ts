import type { EvidenceParts } from '../audit/evidence/collect.ts';
import type { JsonObject } from '../lib/json.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import { SigningKey } from '../receipts/signing-key.ts';
import { installedPackages } from './installed-packages.ts';
import { retentionBounds } from './retention-bounds.ts';
import type { RootSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

interface EvidenceSources extends Pick<EvidenceParts, 'database' | 'clock'> {
  readonly settings: Settings;
  readonly roots: RootSecrets;
  /** For bundles of the whole instance. */
  readonly settingRows?: readonly JsonObject[];
}

/** All that evidence bundles are made of. */
export async function openEvidence({
  settings,
  roots: rootSecrets,
  settingRows = [],
  ...stores
}: EvidenceSources): Promise<EvidenceParts> {
  const [signer, ...previous] = await signingKeys(rootSecrets);
  if (signer === undefined) throw new Error('there is no key to sign with');
  const keys = { keys: [signer, ...previous].map(({ publicJwk }) => ({ ...publicJwk, kty: 'OKP' })) };
  return {
    ...stores,
    ...{ signer, version, settings: settingRows, bounds: retentionBounds(settings) },
    dependencies: installedPackages,
    findProblem: (statement) => findStatementProblem(statement, keys),
  };
}

/** The keys of the present secret and of the one before it; the first one signs. */
export function signingKeys(rootSecrets: RootSecrets): Promise<readonly SigningKey[]> {
  return Promise.all(rootSecrets.deriveKeys('receipts').map((key) => SigningKey.from(key)));
}
