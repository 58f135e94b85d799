import { z } from 'zod';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { AuthorizationFailure } from './authorization-failure.ts';
import { limits } from './limits.ts';

const address = z.string().max(limits.addressCharactersMax);
const names = z.array(z.string().max(limits.scopeCharactersMax)).max(500);

const metadataSchema = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  revocation_endpoint: address.optional(),
  registration_endpoint: address.optional(),
  code_challenge_methods_supported: names.optional(),
  token_endpoint_auth_methods_supported: names.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});

/** What an authorization server says of itself (RFC 8414), as far as the gateway reads it. */
export type IssuerMetadata = z.output<typeof metadataSchema>;

export interface IssuerMetadataParts {
  readonly fetch: EgressFetch;
  readonly clock: Clock;
  /** Why the gateway may not connect to an address; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
}

/** Reads the metadata of authorization servers. */
export class IssuerDirectory {
  readonly #parts: IssuerMetadataParts;
  readonly #cached = new Lru<{ readonly metadata: IssuerMetadata; readonly readAtMs: number }>(
    limits.cachedIssuersMax,
  );

  constructor(parts: IssuerMetadataParts) {
    this.#parts = parts;
  }

  async find(issuer: string): Promise<IssuerMetadata> {
    const nowMs = this.#parts.clock.now();
    const cached = this.#cached.get(issuer);
    if (cached !== undefined && nowMs - cached.readAtMs < limits.issuerFreshMs) return cached.metadata;
    const metadata = this.#check(issuer, await this.#read(issuer));
    this.#cached.set(issuer, { metadata, readAtMs: nowMs });
    return metadata;
  }

  async #read(issuer: string): Promise<unknown> {
    const url = URL.parse(issuer);
    if (url === null || url.search !== '' || url.hash !== '' || url.username !== '')
      throw new AuthorizationFailure('issuer_mismatch');
    if (this.#parts.findAddressFault(url) !== undefined) throw new AuthorizationFailure('insecure_endpoint');
    let cause: unknown;
    for (const place of placesOf(url)) {
      try {
        return await readJson(this.#parts.fetch, place);
      } catch (error) {
        cause ??= error;
      }
    }
    throw new AuthorizationFailure('issuer_unreachable', cause);
  }

  /** The issuer has to be the very text that the document was found by, or one server could speak for another. */
  #check(issuer: string, document: unknown): IssuerMetadata {
    const { success, data, error } = metadataSchema.safeParse(document);
    if (!success) throw new AuthorizationFailure('issuer_unreachable', error);
    if (data.issuer !== issuer) throw new AuthorizationFailure('issuer_mismatch');
    const { authorization_endpoint, token_endpoint, revocation_endpoint, registration_endpoint } = data;
    for (const text of [authorization_endpoint, token_endpoint, revocation_endpoint, registration_endpoint]) {
      const url = text === undefined ? undefined : URL.parse(text);
      if (url === null || (url !== undefined && this.#parts.findAddressFault(url) !== undefined))
        throw new AuthorizationFailure('insecure_endpoint');
    }
    if (data.code_challenge_methods_supported?.includes('S256') !== true)
      throw new AuthorizationFailure('no_pkce');
    return data;
  }
}

/** RFC 8414 puts the well-known part before the path of the issuer, OpenID Connect before or behind it. */
function placesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname === '/' ? '' : pathname.replace(/(?<!\/)\/+$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? places : [...places, `${origin}${path}/.well-known/openid-configuration`];
}

/** A small JSON document. */
export async function readJson(egressFetch: EgressFetch, url: string): Promise<unknown> {
  const response = await egressFetch(url, {
    headers: { accept: 'application/json' },
    timeoutMs: limits.answerMs,
    maxBytes: limits.answerBytesMax,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${new URL(url).origin} answered with ${response.status}`);
  return JSON.parse(text);
}
