import { hash } from 'node:crypto';
import type { Configuration, CustomFetchOptions, ServerMetadata } from 'openid-client';
import { z } from 'zod';
import type { Sealer } from '../../accounts/sealer.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { McpClient, McpClients } from '../../kernel/ports/mcp-authorization.ts';
import type { Clock } from '../../lib/clock.ts';
import { AuthorizationFailure } from './authorization-failure.ts';
import type { IssuerMetadata } from './issuer-metadata.ts';
import { limits } from './limits.ts';

export interface IssuerClientsParts {
  readonly clients: McpClients;
  readonly sealer: Sealer;
  readonly fetch: EgressFetch;
  readonly clock: Clock;
  readonly address: { readonly url: string };
}

/** How the gateway introduces itself to an issuer. */
export interface IssuerClient {
  readonly clientId: string;
  readonly secret: string | undefined;
  /** `document`: by a client metadata document. `dynamic`: registered by itself, which is deprecated. */
  readonly kind: 'registered' | 'document' | 'dynamic';
}

const registrationSchema = z.object({
  client_id: z.string().min(1).max(2000),
  client_secret: z.string().min(1).max(2000).optional(),
});

/** The clients of accounts at issuers. */
export class IssuerClients {
  readonly #parts: IssuerClientsParts;

  constructor(parts: IssuerClientsParts) {
    this.#parts = parts;
  }

  /** Each issuer has an address of its own, so that the answer of one can't be taken for that of another. */
  redirectUri(issuer: string): string {
    return `${this.#parts.address.url}/v1/mcp/callback/${tagOf(issuer)}`;
  }

  documentUrl(tag: string): string {
    return `${this.#parts.address.url}/mcp/clients/${tag}`;
  }

  /** The client metadata document at this address. It says the same to everybody. */
  document(tag: string): object {
    const { url } = this.#parts.address;
    return {
      client_id: this.documentUrl(tag),
      client_name: `Weir at ${new URL(url).host}`,
      client_uri: url,
      redirect_uris: [`${url}/v1/mcp/callback/${tag}`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  list(accountId: string): Promise<readonly McpClient[]> {
    return this.#parts.clients.list(accountId);
  }

  async register(
    accountId: string,
    {
      issuer,
      clientId,
      secret,
    }: { readonly issuer: string; readonly clientId: string; readonly secret: string | null },
  ): Promise<McpClient> {
    const { clients, sealer, clock } = this.#parts;
    const client: McpClient = {
      ...{ accountId, issuer, clientId, isDynamic: false, updatedAtMs: clock.now() },
      secret:
        secret === null ? undefined : sealer.seal(secret, clientContext({ accountId, issuer, clientId })),
    };
    if (await clients.put(client, limits.clientsMax)) return client;
    throw new GatewayError(
      'configuration_limit_reached',
      `an account has clients at ${limits.clientsMax} issuers at most; delete one first`,
    );
  }

  async remove(accountId: string, issuer: string): Promise<void> {
    if (!(await this.#parts.clients.delete(accountId, issuer)))
      throw new GatewayError(
        'not_found',
        'there is no client at this issuer; GET /v1/mcp/clients lists them',
      );
  }

  /** The registered one, a document, one that the gateway registers now: the first that there is. */
  async find(accountId: string, metadata: IssuerMetadata): Promise<IssuerClient> {
    const { issuer, client_id_metadata_document_supported: takesDocuments } = metadata;
    const stored = await this.#parts.clients.find(accountId, issuer);
    if (stored !== undefined && !stored.isDynamic) return this.#open(stored);
    if (takesDocuments === true && this.#parts.address.url.startsWith('https:'))
      return { clientId: this.documentUrl(tagOf(issuer)), secret: undefined, kind: 'document' };
    if (stored !== undefined) return this.#open(stored);
    if (metadata.registration_endpoint === undefined) throw new AuthorizationFailure('no_client');
    return this.#open(await this.#registerItself(accountId, issuer, metadata.registration_endpoint));
  }

  /** For requests to the issuer. */
  async configure(metadata: IssuerMetadata, { clientId, secret }: IssuerClient): Promise<Configuration> {
    const client = await import('openid-client');
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const byHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    const withSecret = byHeader ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    const configuration = new client.Configuration(
      serverMetadata(metadata),
      clientId,
      {},
      secret === undefined ? client.None() : withSecret,
    );
    configuration[client.customFetch] = (url, options) => this.#fetch(url, options);
    configuration.timeout = limits.answerMs / 1000;
    // The addresses were checked: one without https is allowed by the operator.
    if (metadata.token_endpoint.startsWith('http:')) client.allowInsecureRequests(configuration);
    return configuration;
  }

  async #registerItself(accountId: string, issuer: string, endpoint: string): Promise<McpClient> {
    const { clients, sealer, clock } = this.#parts;
    const { client_id: _id, ...metadata } = Object(this.document(tagOf(issuer)));
    try {
      const response = await this.#parts.fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(metadata),
        timeoutMs: limits.answerMs,
        maxBytes: limits.answerBytesMax,
      });
      if (!response.ok) throw new Error(`the registration was answered with ${response.status}`);
      const { client_id: clientId, client_secret: secret } = registrationSchema.parse(await response.json());
      return await clients.putIfAbsent({
        ...{ accountId, issuer, clientId, isDynamic: true, updatedAtMs: clock.now() },
        secret:
          secret === undefined
            ? undefined
            : sealer.seal(secret, clientContext({ accountId, issuer, clientId })),
      });
    } catch (cause) {
      throw new AuthorizationFailure('no_client', cause);
    }
  }

  #open({ accountId, issuer, clientId, secret, isDynamic }: McpClient): IssuerClient {
    const opened = secret && this.#parts.sealer.open(secret, clientContext({ accountId, issuer, clientId }));
    if (secret !== undefined && opened === undefined) throw new AuthorizationFailure('no_client');
    return { clientId, secret: opened, kind: isDynamic ? 'dynamic' : 'registered' };
  }

  #fetch(url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
    return this.#parts.fetch(url, {
      method,
      headers,
      ...(body !== undefined && body !== null && { body }),
      ...(signal !== undefined && { signal }),
      timeoutMs: limits.answerMs,
      maxBytes: limits.answerBytesMax,
    });
  }
}

/** What the package needs: it must not register clients by itself. */
function serverMetadata(metadata: IssuerMetadata): ServerMetadata {
  const { issuer, authorization_endpoint, token_endpoint, revocation_endpoint } = metadata;
  return {
    ...{ issuer, authorization_endpoint, token_endpoint },
    ...(revocation_endpoint !== undefined && { revocation_endpoint }),
    authorization_response_iss_parameter_supported:
      metadata.authorization_response_iss_parameter_supported ?? false,
  };
}

/** Stands for an issuer in addresses. */
export function tagOf(issuer: string): string {
  return hash('sha256', issuer, 'base64url').slice(0, 22);
}

export function isTag(text: string): boolean {
  return /^[\w-]{22}$/.test(text);
}

/** What the secret of a client is sealed for: it can’t be opened for another account, issuer or client. */
export function clientContext(client: Pick<McpClient, 'accountId' | 'issuer' | 'clientId'>): string {
  return `mcp client\n${JSON.stringify([client.accountId, client.issuer, client.clientId])}`;
}
