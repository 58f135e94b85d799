import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const secretCharacters = 43;
const lookupPrefixCharacters = 12;

/** How keys of this gateway are written: `<prefix>_live_` and 256 random bits. */
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

  /** Whether it is as long as a key. */
  hasLength(token: string): boolean {
    return token.length === this.#prefix.length + secretCharacters;
  }

  /** Whether it could be a key; anything else needs no look at the database. */
  matches(token: string): boolean {
    return this.hasLength(token) && this.#pattern.test(token);
  }

  /** What is shown of a key, and what it is looked up by. */
  static prefixOf(token: string): string {
    return token.slice(0, lookupPrefixCharacters);
  }
}
