import { namesIn } from '../accounts/token-issuers/token-shape.ts';
import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import { providerKeyPattern } from '../providers/provider-directory.ts';

export interface ShapeRules {
  readonly providers: Iterable<Provider>;
  readonly keyPrefix: string;
  readonly localToken: Secret | undefined;
  /** Whether tokens of issuers are accepted. */
  readonly hasIssuers?: boolean;
}

/** Distinguishes gateway tokens from provider keys by their format. */
export class CredentialShapes {
  readonly #ownPrefix: string;
  readonly #localToken: Secret | undefined;
  readonly #providerKey: RegExp;
  readonly #hasIssuers: boolean;

  constructor({ providers, keyPrefix, localToken, hasIssuers = false }: ShapeRules) {
    this.#hasIssuers = hasIssuers;
    this.#ownPrefix = `${keyPrefix}_`;
    this.#localToken = localToken;
    this.#providerKey = providerKeyPattern(providers);
  }

  isGatewayToken(value: string): boolean {
    return (
      value.startsWith(this.#ownPrefix) ||
      value.startsWith('anon_') ||
      this.#localToken?.equals(value) === true ||
      (this.#hasIssuers && namesIn(value) !== undefined)
    );
  }

  isProviderKey(value: string): boolean {
    return this.#localToken?.equals(value) !== true && this.#providerKey.test(value);
  }
}
