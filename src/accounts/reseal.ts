import type { ProviderKeys, SealedKey } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';
import { sealContextOf } from './provider-key-vault.ts';
import type { SealedBytes, Sealer } from './sealer.ts';

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

interface SealedRows<Row> {
  /** What they are, for errors. */
  readonly plural: string;
  readonly sealer: Sealer;
  /** The first of those that another key has sealed. */
  notSealedBy(keyId: string, most: number): Promise<readonly Row[]>;
  secretOf(row: Row): SealedBytes | undefined;
  contextOf(row: Row): string;
  /** Tells rows apart; their context, unless it is given. */
  nameOf?(row: Row): string;
  /** False if the row has changed meanwhile. */
  replace(row: Row, secret: SealedBytes): Promise<boolean>;
  onProgress?(soFar: ResealProgress): void;
}

/** Reseals every provider key with the current key. */
export function reseal({ providerKeys, sealer, onProgress }: ResealParts): Promise<ResealProgress> {
  return resealRows<SealedKey>({
    ...{ plural: 'keys', sealer, onProgress: (soFar) => onProgress?.(soFar) },
    notSealedBy: (keyId, most) => providerKeys.notSealedBy(keyId, most),
    secretOf: (row) => row,
    contextOf: sealContextOf,
    nameOf: (row) => `${sealContextOf(row)}\n${row.id}`,
    replace: (row, secret) => providerKeys.reseal(row, secret),
  });
}

/**
 * Reseals rows with the current key, while the gateway runs: a row that changes in the meantime is left alone and retried.
 * It can be stopped at any time and continues when it is started again.
 */
export async function resealRows<Row>(rows: SealedRows<Row>): Promise<ResealProgress> {
  const { plural, sealer, contextOf, nameOf = contextOf } = rows;
  const unreadable = new Set<string>();
  let resealed = 0;
  for (;;) {
    // Each batch returns the unreadable rows again, so it must be larger by their number.
    const batch = await rows.notSealedBy(sealer.currentKeyId, limits.resealedAtOnce + unreadable.size);
    const left = batch.filter((row) => !unreadable.has(nameOf(row)));
    if (left.length === 0) return { resealed, unreadable: unreadable.size };
    for (const row of left) {
      const context = contextOf(row);
      const secret = rows.secretOf(row);
      const text = secret && sealer.open(secret, context);
      if (text === undefined) unreadable.add(nameOf(row));
      else if (await rows.replace(row, sealer.seal(text, context))) resealed++;
    }
    if (unreadable.size > limits.unreadableKeysMax)
      throw new Error(`more than ${limits.unreadableKeysMax} ${plural} can't be decrypted: check the secret`);
    rows.onProgress?.({ resealed, unreadable: unreadable.size });
  }
}
