import { call, type RawAnswer, type RawRequest } from './call.ts';

/** A browser as far as cookies go: it keeps those of each host, and follows nothing by itself. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  async visit(address: string | URL, sent: Partial<RawRequest> = {}): Promise<RawAnswer> {
    const url = new URL(address);
    const kept = this.#of(url);
    const cookies = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await call(url.origin, {
      ...sent,
      path: `${url.pathname}${url.search}`,
      headers: [...(cookies === '' ? [] : ['cookie', cookies]), ...(sent.headers ?? [])],
    });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name = '', ...value] = pair.split('=');
      const isGone = attributes.some((text) => /^(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(text));
      if (isGone) kept.delete(name);
      else kept.set(name, value.join('='));
    }
    return answer;
  }

  /** Follows redirects, and resolves to the answer that is none. */
  async follow(
    address: string | URL,
    isEnd: (url: URL) => boolean = () => false,
  ): Promise<RawAnswer & { readonly url: URL }> {
    let url = new URL(address);
    for (let hops = 0; hops < 15; hops++) {
      const answer = await this.visit(url);
      const { location } = answer.headers;
      if (location === undefined) return { ...answer, url };
      url = new URL(location, url);
      if (isEnd(url)) return { ...answer, url };
    }
    throw new Error('too many redirects');
  }

  cookie(address: string, name: string): string | undefined {
    return this.#of(new URL(address)).get(name);
  }

  set(address: string, name: string, value: string): void {
    this.#of(new URL(address)).set(name, value);
  }

  /** By name and port, so that two servers on one machine are two sites. */
  #of({ host }: URL): Map<string, string> {
    const kept = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, kept);
    return kept;
  }
}
