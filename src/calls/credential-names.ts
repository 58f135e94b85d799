import { KeyedHasher } from '../accounts/keyed-hasher.ts';
import type { Secret } from '../lib/secret.ts';

/** Names of provider keys that don't reveal them, the same in all processes of an instance. */
export class CredentialNames {
  readonly #hasher: KeyedHasher;
  /** A call with several candidates has several credentials, whose hashes take longer than a lookup. */
  readonly #names = new WeakMap<Secret, string>();

  constructor(nameKey: Uint8Array) {
    this.#hasher = new KeyedHasher(nameKey);
  }

  /** Empty without a credential. */
  of(credential: Secret | undefined): string {
    if (credential === undefined) return '';
    const known = this.#names.get(credential);
    if (known !== undefined) return known;
    const name = this.#hasher.hashText(credential.reveal());
    this.#names.set(credential, name);
    return name;
  }

  /** The name as text that can be stored. */
  storedOf(credential: Secret | undefined): string {
    return Buffer.from(this.of(credential), 'utf16le').toString('hex');
  }
}
