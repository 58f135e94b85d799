import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const secretCharacters = 43;
const lookupPrefixCharacters = 12;

/** The format of one kind of credential: `<prefix>_<kind>_` and 256 random bits. */
export class TokenFormat {
  readonly #prefix: string;
  readonly #pattern: RegExp;

  constructor(keyPrefix: string, kind: 'live' | 'scim' | 'service') {
    this.#prefix = `${keyPrefix}_${kind}_`;
    this.#pattern = new RegExp(`^${this.#prefix}[\\w-]{${secretCharacters}}$`);
  }

  generate(): string {
    return `${this.#prefix}${randomBytes(secretBytes).toString('base64url')}`;
  }

  hasLength(token: string): boolean {
    return token.length === this.#prefix.length + secretCharacters;
  }

  /** Whether the token could be of this kind; anything else needs no database lookup. */
  matches(token: string): boolean {
    return this.hasLength(token) && this.#pattern.test(token);
  }
}

/** The visible part of an API key, by which it is also looked up. */
export function lookupPrefixOf(token: string): string {
  return token.slice(0, lookupPrefixCharacters);
}
