import { z } from 'zod';
import { countAddressAttempt, countAttempt } from '../../accounts/count-attempt.ts';
import type { Sealer } from '../../accounts/sealer.ts';
import { ownPath } from '../../accounts/sign-on/return-path.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpGrant, McpGrants } from '../../kernel/ports/mcp-authorization.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { isVisible } from '../access/is-allowed.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { McpServers } from '../servers/mcp-servers.ts';
import { AuthorizationFailure } from './authorization-failure.ts';
import { type IssuerClients, tagOf } from './issuer-clients.ts';
import type { IssuerDirectory, IssuerMetadata } from './issuer-metadata.ts';
import { limits } from './limits.ts';
import { SealedTickets } from './sealed-tickets.ts';
import { discoverAuthorization, readableScopes, scopesIn } from './server-discovery.ts';
import type { TokenVault } from './token-vault.ts';

export interface AuthorizationsParts {
  readonly servers: Pick<McpServers, 'serversOf'>;
  readonly grants: McpGrants;
  readonly vault: TokenVault;
  readonly issuers: IssuerDirectory;
  readonly clients: IssuerClients;
  readonly fetch: EgressFetch;
  readonly sealer: Sealer;
  readonly counts: RateLimiter;
  readonly clock: Clock;
  /** Whether the session with which a person has begun is valid still. */
  isAlive(person: Pick<AuthorizingPerson, 'accountId' | 'personId' | 'sessionId'>): Promise<boolean>;
}

/** Who authorizes the gateway, in this session. */
export interface AuthorizingPerson {
  readonly accountId: string;
  readonly personId: string;
  readonly sessionId: string;
  /** For access rules. */
  readonly caller: McpCaller;
}

const consentShape = {
  accountId: z.string(),
  personId: z.string(),
  sessionId: z.string(),
  server: z.string(),
  serverVersion: z.string(),
  serverUrl: z.string(),
  resource: z.string(),
  issuer: z.string(),
  scopes: z.array(z.string()),
  returnPath: z.string(),
};
const attemptShape = { ...consentShape, state: z.string(), verifier: z.string(), clientId: z.string() };

/** What a person is asked to confirm. */
export type Consent = z.output<z.ZodObject<typeof consentShape>>;

export interface ConsentQuestion {
  readonly consent: Consent;
  /** Proves that the person was shown this. */
  readonly ticket: string;
}

/** People authorize the gateway at MCP servers: they confirm on a page of the gateway, then at the issuer. */
export class Authorizations {
  readonly #parts: AuthorizationsParts;
  readonly #consents: SealedTickets<typeof consentShape>;
  readonly #attempts: SealedTickets<typeof attemptShape>;

  constructor(parts: AuthorizationsParts) {
    this.#parts = parts;
    this.#consents = new SealedTickets({
      ...{ ...parts, purpose: 'mcp consent', lifeMs: limits.consentLifeMs, shape: consentShape },
    });
    this.#attempts = new SealedTickets({
      ...{ ...parts, purpose: 'mcp attempt', lifeMs: limits.attemptLifeMs, shape: attemptShape },
    });
  }

  countCallback(address: string): Promise<void> {
    return countAddressAttempt(this.#parts.counts, {
      ...{ address, counterName: (block: string) => `mcp callback:${block}` },
      ...limits.callbacksPerAddress,
    });
  }

  /** Reads what the server and its issuer say now. A server that the person may not see is an unknown one. */
  async ask(
    person: AuthorizingPerson,
    name: string,
    returnPath: string | undefined,
  ): Promise<ConsentQuestion> {
    const { fetch, issuers, clients, grants } = this.#parts;
    const { accountId, personId, sessionId } = person;
    await countAttempt(
      this.#parts.counts,
      `mcp consent:${accountId}:${personId}`,
      limits.discoveriesPerPerson,
    );
    const { server, url } = await this.#find(person.caller, name);
    const found = await discoverAuthorization(fetch, url);
    const metadata = await issuers.find(found.issuer);
    await clients.find(accountId, metadata);
    const grant = await grants.find({ accountId, personId, server: name });
    const isSame = grant?.issuer === found.issuer && grant.resource === found.resource;
    const before = isSame ? scopesIn(`${grant.scope} ${grant.wantedScope ?? ''}`) : [];
    const consent: Consent = {
      ...{ accountId, personId, sessionId, server: name, serverVersion: server.version, serverUrl: url },
      ...{ resource: found.resource, issuer: found.issuer, returnPath: ownPath(returnPath) },
      scopes: [...readableScopes([...found.scopes, ...before])],
    };
    return { consent, ticket: this.#consents.seal(consent) };
  }

  /** The page of the issuer, and the cookie that binds its answer to this browser. */
  async begin(
    { accountId, personId, sessionId, caller }: AuthorizingPerson,
    ticket: string,
  ): Promise<{ readonly url: string; readonly cookie: string; readonly consent: Consent }> {
    const consent = await this.#consents.use(
      ticket,
      (one) => one.accountId === accountId && one.personId === personId && one.sessionId === sessionId,
    );
    if (consent === undefined) throw new AuthorizationFailure('attempt');
    await this.#requireSameServer(caller, consent);
    const client = await import('openid-client');
    const metadata = await this.#parts.issuers.find(consent.issuer);
    const known = await this.#parts.clients.find(accountId, metadata);
    const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(await this.#parts.clients.configure(metadata, known), {
      redirect_uri: this.#parts.clients.redirectUri(consent.issuer),
      response_type: 'code',
      state,
      resource: consent.resource,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(consent.scopes.length > 0 && { scope: consent.scopes.join(' ') }),
    });
    const cookie = this.#attempts.seal({ ...consent, state, verifier, clientId: known.clientId });
    return { url: url.href, cookie, consent };
  }

  /** The issuer has sent a browser back to the address with this tag. `callerOf` reads the roles of the person as of now. */
  async finish({ tag, query, cookie, callerOf }: IssuerAnswer): Promise<Consent> {
    const { grants, vault, issuers, clients, isAlive } = this.#parts;
    const answer = new URLSearchParams(query);
    const attempt = await this.#attempts.use(
      cookie,
      (one) => one.state === answer.get('state') && tagOf(one.issuer) === tag,
    );
    if (attempt === undefined || !(await isAlive(attempt))) throw new AuthorizationFailure('attempt');
    await this.#requireSameServer(await callerOf(attempt), attempt);
    const metadata = await issuers.find(attempt.issuer);
    const known = await clients.find(attempt.accountId, metadata);
    if (known.clientId !== attempt.clientId) throw new AuthorizationFailure('changed');
    // Anybody can make a client document theirs, so that only this parameter tells issuers apart (RFC 9207).
    const needsIssuer = known.kind === 'document' || metadata.authorization_response_iss_parameter_supported;
    const isFromIssuer = answer.get('iss') === attempt.issuer;
    if (needsIssuer ? !isFromIssuer : answer.has('iss') && !isFromIssuer)
      throw new AuthorizationFailure('issuer_mismatch');
    const { accountId, personId, server, issuer, resource, clientId } = attempt;
    const scope = attempt.scopes.join(' ');
    const tokens = await this.#exchange(metadata, attempt, query);
    let grant: McpGrant;
    try {
      grant = vault.grant(
        { accountId, personId, server, issuer, resource, clientId },
        attempt.serverUrl,
        tokens,
        scope,
      );
    } catch (cause) {
      throw new AuthorizationFailure('invalid_answer', cause);
    }
    if (!(await grants.put(grant))) throw new AuthorizationFailure('removed');
    return attempt;
  }

  /** The account of a cookie, whatever has become of it; for the audit log. */
  accountOf(cookie: string | undefined): string | undefined {
    return this.#attempts.peek(cookie)?.accountId;
  }

  list(person: Pick<AuthorizingPerson, 'accountId' | 'personId'>): Promise<readonly McpGrant[]> {
    return this.#parts.grants.list(person.accountId, person.personId);
  }

  /** Deletes the tokens, then asks the issuer to end them (RFC 7009). Undefined if there are none. */
  async revoke(
    { accountId, personId }: Pick<AuthorizingPerson, 'accountId' | 'personId'>,
    server: string,
  ): Promise<{ readonly isRevokedAtIssuer: boolean } | undefined> {
    const grant = await this.#parts.grants.delete({ accountId, personId, server });
    if (grant === undefined) return undefined;
    // The tokens are gone in any case: an issuer that is away, or has no such endpoint, can't keep them here.
    return { isRevokedAtIssuer: await this.#revokeAtIssuer(grant).catch(() => false) };
  }

  async #revokeAtIssuer(grant: McpGrant): Promise<boolean> {
    const { issuers, clients, vault } = this.#parts;
    const tokens = vault.openDeleted(grant);
    const metadata = await issuers.find(grant.issuer);
    if (tokens === undefined || metadata.revocation_endpoint === undefined) return false;
    const client = await import('openid-client');
    const known = await clients.find(grant.accountId, metadata);
    const configuration = await clients.configure(metadata, known);
    for (const token of [tokens.refreshToken, tokens.accessToken])
      if (token !== undefined) await client.tokenRevocation(configuration, token);
    return true;
  }

  async #exchange(
    metadata: IssuerMetadata,
    attempt: z.output<z.ZodObject<typeof attemptShape>>,
    query: string,
  ) {
    const { clients } = this.#parts;
    const client = await import('openid-client');
    const configuration = await clients.configure(metadata, await clients.find(attempt.accountId, metadata));
    const answer = new URL(`${clients.redirectUri(attempt.issuer)}${query}`);
    try {
      return await client.authorizationCodeGrant(
        configuration,
        answer,
        { expectedState: attempt.state, pkceCodeVerifier: attempt.verifier },
        { resource: attempt.resource },
      );
    } catch (cause) {
      const isRefusal = Object(cause).name === 'AuthorizationResponseError';
      throw new AuthorizationFailure(isRefusal ? 'refused' : 'invalid_answer', cause);
    }
  }

  async #find(
    caller: McpCaller,
    name: string,
  ): Promise<{ readonly server: McpServer; readonly url: string }> {
    const all = await this.#parts.servers.serversOf({ accountId: caller.accountId });
    const server = all.get(name);
    if (server?.transport.kind !== 'http' || server.transport.authorization !== 'person')
      throw new AuthorizationFailure('unknown_server');
    if (!isVisible(caller, server)) throw new AuthorizationFailure('unknown_server');
    return { server, url: server.transport.url };
  }

  async #requireSameServer(
    caller: McpCaller,
    { server: name, serverVersion, serverUrl }: Consent,
  ): Promise<void> {
    const { server, url } = await this.#find(caller, name);
    if (server.version !== serverVersion || url !== serverUrl) throw new AuthorizationFailure('changed');
  }
}

interface IssuerAnswer {
  readonly tag: string;
  /** With its question mark. */
  readonly query: string;
  readonly cookie: string | undefined;
  callerOf(consent: Consent): Promise<McpCaller>;
}
