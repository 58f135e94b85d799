import { hash, hkdfSync, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../lib/secret.ts';
import { inMemoryDataDir } from '../storage/settings.ts';
import type { Settings } from './settings.ts';

/** A complete file has 64 characters; one with fewer than half was truncated. */
const secretCharactersMin = 32;

type DerivedKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The secret that all keys derive from, and the previous one, which is still accepted. */
export class RootSecrets {
  readonly #root: Secret;
  readonly #previous: Secret | undefined;

  constructor({ secret, previousSecret, stores, dataDir }: RootSecretSettings) {
    this.#root = stores !== undefined && secret !== undefined ? secret : loadRootSecret(secret, dataDir);
    this.#previous = previousSecret;
  }

  /** Keys for one purpose: the current one, then those still accepted. They reveal nothing about other keys. */
  deriveKeys(label: string): DerivedKeys {
    const previous = this.#previous === undefined ? [] : [deriveKey(this.#previous, label)];
    return [deriveKey(this.#root, label), ...previous];
  }
}

type RootSecretSettings = Pick<Settings, 'secret' | 'previousSecret' | 'stores' | 'dataDir'>;

/** Uses the configured secret, or creates one in the data folder that only its owner can read. */
function loadRootSecret(configured: Secret | undefined, dataDir: string): Secret {
  if (dataDir === inMemoryDataDir) return configured ?? inMemorySecret;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
    return configured ?? readOrCreateSecret(join(dataDir, 'secret'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the data folder can't be used (${why}); see WEIR_DATA_DIR`, { cause });
  }
}

function readOrCreateSecret(file: string): Secret {
  if (!existsSync(file)) writeFileSync(file, generateSecret(), { mode: 0o600, flag: 'wx' });
  const text = readFileSync(file, 'utf8').trim();
  if (text.length < secretCharactersMin)
    throw new Error(`${file} is truncated: restore it, or delete it to create a new secret`);
  return new Secret(text);
}

function generateSecret(): string {
  return randomBytes(48).toString('base64url');
}

/** A database in memory outlives reloads, and so does the secret that what is in it was sealed with. */
const inMemorySecret = new Secret(generateSecret());

function deriveKey(root: Secret, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', root.reveal(), '', `weir ${label}`, 32));
}

/** Whether a secret exists already. */
export function hasSecret({ secret, dataDir }: Pick<Settings, 'secret' | 'dataDir'>): boolean {
  return secret !== undefined || existsSync(join(dataDir, 'secret'));
}

/** Identifies a secret without revealing it. */
export function secretFingerprint(rootSecrets: RootSecrets): string {
  return hash('sha256', rootSecrets.deriveKeys('mark')[0]).slice(0, 16);
}
