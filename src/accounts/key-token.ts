import { randomBytes } from 'node:crypto';

const secretBytes = 32;
const secretCharacters = 43;
const shownCharacters = 12;

/** How keys of this gateway are written: `<prefix>_live_` and 256 random bits. */
export class KeyTokens {
  readonly #begin: string;
  readonly #shape: RegExp;

  constructor(keyPrefix: string) {
    this.#begin = `${keyPrefix}_live_`;
    this.#shape = new RegExp(`^${this.#begin}[\\w-]{${secretCharacters}}$`);
  }

  make(): string {
    return `${this.#begin}${randomBytes(secretBytes).toString('base64url')}`;
  }

  /** Whether it is as long as a key. */
  hasLength(token: string): boolean {
    return token.length === this.#begin.length + secretCharacters;
  }

  /** Whether it could be a key; anything else needs no look at the database. */
  fits(token: string): boolean {
    return this.hasLength(token) && this.#shape.test(token);
  }

  /** What is shown of a key, and what it is looked up by. */
  static prefixOf(token: string): string {
    return token.slice(0, shownCharacters);
  }
}
