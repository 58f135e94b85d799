import type { HeaderList } from '../../lib/headers.ts';
import { readCookie } from './session-cookie.ts';

interface LaxCookieParts {
  /** The public address of the gateway. */
  readonly address: { readonly url: string };
  readonly name: string;
  readonly lifeMs: number;
}

/** Binds an answer of another site to the browser that went there. It is sent with that navigation, but with no request of a page there. */
export class LaxCookie {
  readonly #parts: LaxCookieParts;

  constructor(parts: LaxCookieParts) {
    this.#parts = parts;
  }

  get #isSecure(): boolean {
    return this.#parts.address.url.startsWith('https:');
  }

  get #name(): string {
    return this.#isSecure ? `__Host-${this.#parts.name}` : this.#parts.name;
  }

  read(headers: HeaderList): string | undefined {
    return readCookie(headers, this.#name);
  }

  set(value: string): HeaderList {
    return this.#cookie(value, this.#parts.lifeMs / 1000);
  }

  clear(): HeaderList {
    return this.#cookie('', 0);
  }

  #cookie(value: string, seconds: number): HeaderList {
    const secure = this.#isSecure ? '; Secure' : '';
    return [
      'set-cookie',
      `${this.#name}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure}`,
    ];
  }
}
