import { reseal } from '../accounts/reseal.ts';
import { Sealing } from '../accounts/sealing.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import { Roots } from '../gateway/secrets.ts';
import type { Environment } from '../gateway/settings.ts';
import { settingsBeside } from './settings-from.ts';

/** Seals every stored provider key under the current secret, while the gateway runs; resolves to the exit code. */
export async function resealKeys(environment: Environment): Promise<number> {
  const settings = settingsBeside(environment);
  const sealing = new Sealing(new Roots(settings).derived('provider keys'));
  const database = await openDatabase(settings);
  try {
    const { providerKeys } = database;
    const { resealed, unreadable } = await reseal({
      providerKeys,
      sealing,
      onProgress: (soFar) => console.log(`${soFar.resealed} so far`),
    });
    console.log(`${keys(resealed)} sealed anew; WEIR_SECRET_PREVIOUS is needed for none of them any more`);
    if (unreadable === 0) return 0;
    console.error(`weir: ${keys(unreadable)} can't be opened with WEIR_SECRET or WEIR_SECRET_PREVIOUS`);
    return 1;
  } finally {
    await database.close();
  }
}

function keys(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
