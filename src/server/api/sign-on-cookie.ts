import { limits } from '../../accounts/limits.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { readCookie } from './session-cookie.ts';

/**
 * Binds a sign-on to the browser that began it. It is sent with the answer of the identity provider, which is another site, but with
 * no request of a page there.
 */
export class SignOnCookie {
  readonly #address: { readonly url: string };

  constructor(address: { readonly url: string }) {
    this.#address = address;
  }

  get #isSecure(): boolean {
    return this.#address.url.startsWith('https:');
  }

  get #name(): string {
    return this.#isSecure ? '__Host-weir_sign_on' : 'weir_sign_on';
  }

  read(headers: HeaderList): string | undefined {
    return readCookie(headers, this.#name);
  }

  set(value: string): HeaderList {
    return this.#cookie(value, limits.signOnLifeMs / 1000);
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
