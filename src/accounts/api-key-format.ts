import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const secretCharacters = 43;
const lookupPrefixCharacters = 12;

/** The format of API keys: `<prefix>_live_` and 256 random bits. */
export class ApiKeyFormat {
  readonly #prefix: string;
  readonly #pattern: RegExp;

  constructor(keyPrefix: string) {
    this.#prefix = `${keyPrefix}_live_`;
    this.#pattern = new RegExp(`^${this.#prefix}[\\w-]{${secretCharacters}}$`);
  }

  generate(): string {
    return `${this.#prefix}${randomBytes(secretBytes).toString('base64url')}`;
  }

  /** Whether the token has the length of a key. */
  hasLength(token: string): boolean {
    return token.length === this.#prefix.length + secretCharacters;
  }

  /** Whether the token could be a key; anything else needs no database lookup. */
  matches(token: string): boolean {
    return this.hasLength(token) && this.#pattern.test(token);
  }

  /** The visible part of a key, which is also its lookup index. */
  static prefixOf(token: string): string {
    return token.slice(0, lookupPrefixCharacters);
  }
}
