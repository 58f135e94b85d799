import type { ApiKeyAuthenticator, KeyIdentity } from '../api-key-authenticator.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { mayBeIssued } from './token-shape.ts';

/** Identifies callers by an API key, or by a token that stands for one. */
export class CallKeys implements Pick<ApiKeyAuthenticator, 'cached' | 'find' | 'findCurrent' | 'forget'> {
  readonly #keys: ApiKeyAuthenticator;
  readonly #tokens: IssuedTokens;

  constructor(keys: ApiKeyAuthenticator, tokens: IssuedTokens) {
    this.#keys = keys;
    this.#tokens = tokens;
  }

  cached(token: string, address: string | undefined): KeyIdentity | undefined {
    return this.#of(token).cached(token, address);
  }

  find(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    return this.#of(token).find(token, address);
  }

  findCurrent(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    return this.#of(token).findCurrent(token, address);
  }

  forget(token: string): void {
    this.#of(token).forget(token);
  }

  noteUse(keyId: string): void {
    this.#keys.noteUse(keyId);
  }

  #of(token: string): ApiKeyAuthenticator | IssuedTokens {
    return mayBeIssued(token) ? this.#tokens : this.#keys;
  }
}
