import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import { providerKeyPattern } from '../providers/provider-directory.ts';

export interface ShapeRules {
  readonly providers: Iterable<Provider>;
  readonly keyPrefix: string;
  readonly localToken: Secret | undefined;
}

/** Distinguishes gateway tokens from provider keys by their format. */
export class CredentialShapes {
  readonly #ownPrefix: string;
  readonly #localToken: Secret | undefined;
  readonly #providerKey: RegExp;

  constructor({ providers, keyPrefix, localToken }: ShapeRules) {
    this.#ownPrefix = `${keyPrefix}_`;
    this.#localToken = localToken;
    this.#providerKey = providerKeyPattern(providers);
  }

  isGatewayToken(value: string): boolean {
    return (
      value.startsWith(this.#ownPrefix) ||
      value.startsWith('anon_') ||
      this.#localToken?.equals(value) === true
    );
  }

  isProviderKey(value: string): boolean {
    return this.#localToken?.equals(value) !== true && this.#providerKey.test(value);
  }
}
