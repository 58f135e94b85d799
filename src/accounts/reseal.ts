import type { ProviderKeys, SealedKey } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';
import { sealContextOf } from './provider-key-vault.ts';
import type { Sealer } from './sealer.ts';

export interface ResealProgress {
  readonly resealed: number;
  /** Rows that none of the keys can open. */
  readonly unreadable: number;
}

export interface ResealParts {
  readonly providerKeys: ProviderKeys;
  readonly sealer: Sealer;
  onProgress?(soFar: ResealProgress): void;
}

/**
 * Reseals every provider key with the current key, while the gateway runs: a row that changes in the meantime is left
 * alone and retried. It can be stopped at any time and continues when it is started again.
 */
export async function reseal({ providerKeys, sealer, onProgress }: ResealParts): Promise<ResealProgress> {
  const unreadable = new Set<string>();
  let resealed = 0;
  for (;;) {
    // Each batch returns the unreadable rows again, so it must be larger by their number.
    const most = limits.resealedAtOnce + unreadable.size;
    const rows = await providerKeys.notSealedBy(sealer.currentKeyId, most);
    const left = rows.filter((row) => !unreadable.has(nameOf(row)));
    if (left.length === 0) return { resealed, unreadable: unreadable.size };
    for (const row of left) {
      const text = sealer.open(row, sealContextOf(row));
      if (text === undefined) unreadable.add(nameOf(row));
      else if (await providerKeys.reseal(row, sealer.seal(text, sealContextOf(row)))) resealed++;
    }
    if (unreadable.size > limits.unreadableKeysMax)
      throw new Error(`more than ${limits.unreadableKeysMax} keys can't be decrypted: check the secret`);
    onProgress?.({ resealed, unreadable: unreadable.size });
  }
}

function nameOf(row: SealedKey): string {
  return `${sealContextOf(row)}\n${row.id}`;
}
