import { reseal } from '../accounts/reseal.ts';
import { Sealer } from '../accounts/sealer.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import type { Environment } from '../gateway/settings.ts';
import { loadCommandSettings } from '../process/load-settings.ts';

/** Re-encrypts every stored provider key with the current secret, while the gateway runs; resolves to the exit code. */
export async function resealKeys(environment: Environment): Promise<number> {
  const settings = await loadCommandSettings(environment);
  const sealer = new Sealer(new RootSecrets(settings).deriveKeys('provider keys'));
  const database = await openDatabase(settings);
  try {
    const { providerKeys } = database;
    const { resealed, unreadable } = await reseal({
      providerKeys,
      sealer,
      onProgress: (soFar) => console.log(`${soFar.resealed} so far`),
    });
    console.log(
      `${formatKeyCount(resealed)} re-encrypted; WEIR_SECRET_PREVIOUS is no longer needed for provider keys`,
    );
    if (unreadable === 0) return 0;
    console.error(
      `weir: ${formatKeyCount(unreadable)} cannot be decrypted with WEIR_SECRET or WEIR_SECRET_PREVIOUS`,
    );
    return 1;
  } finally {
    await database.close();
  }
}

function formatKeyCount(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
