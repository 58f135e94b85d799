import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, form: URLSearchParams) => unknown;

interface Grant {
  readonly challenge: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope: string;
}

/** An authorization server whose every answer a test decides. Otherwise it does what the standards say, and rotates refresh tokens. */
export class ScriptedAuthority {
  readonly url: string;
  /** What came to the token endpoint. */
  readonly exchanges: URLSearchParams[] = [];
  readonly revoked: string[] = [];
  readonly registrations: object[] = [];
  /** Answers in place of the usual ones, by path. */
  readonly handlers = new Map<string, Handler>();
  /** Fields of the metadata that differ. */
  document: object = {};
  sendsIssuer = true;
  tokenSeconds = 3600;
  /** Refresh tokens that came a second time. */
  reuses = 0;
  readonly #codes = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, Grant>();
  readonly #used = new Set<string>();
  /** Access tokens by their resource. */
  readonly #accessTokens = new Map<string, string>();

  static async start(t: TestContext): Promise<ScriptedAuthority> {
    const server = createServer();
    const url = await listen(t, server);
    const authority = new ScriptedAuthority(url);
    server.on('request', (request, response) => void authority.#answer(request, response));
    return authority;
  }

  private constructor(url: string) {
    this.url = url;
  }

  /** Stands in for the person, who agrees: where the browser is sent to. */
  agree(authorizationUrl: string): URL {
    const { searchParams } = new URL(authorizationUrl);
    const value = (name: string) => searchParams.get(name) ?? '';
    const code = randomUUID();
    this.#codes.set(code, {
      challenge: value('code_challenge'),
      clientId: value('client_id'),
      redirectUri: value('redirect_uri'),
      resource: value('resource'),
      scope: value('scope'),
    });
    const back = new URL(value('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', value('state'));
    if (this.sendsIssuer) back.searchParams.set('iss', this.url);
    return back;
  }

  accepts(token: string | undefined, resource: string): boolean {
    return token !== undefined && this.#accessTokens.get(token) === resource;
  }

  /** From outside, by an administrator. */
  expireAll(): void {
    this.#accessTokens.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const body = await text(request);
    const form = new URLSearchParams(body);
    const own = this.handlers.get(pathname);
    if (own !== undefined) return void own(request, response, form);
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return sendJson(response, 200, this.#metadata());
      case '/token':
        return this.#exchange(response, form);
      case '/revoke':
        this.revoked.push(form.get('token') ?? '');
        return sendJson(response, 200, {});
      case '/register':
        this.registrations.push(JSON.parse(body));
        return sendJson(response, 201, {
          client_id: `dynamic-${this.registrations.length}`,
          client_secret: 'made up',
        });
      default:
        return sendJson(response, 404, {});
    }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      revocation_endpoint: `${this.url}/revoke`,
      registration_endpoint: `${this.url}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: this.sendsIssuer,
      ...this.document,
    };
  }

  #exchange(response: ServerResponse, form: URLSearchParams): void {
    this.exchanges.push(form);
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const token = form.get('refresh_token') ?? '';
    if (isRefresh && this.#used.has(token)) this.reuses++;
    const grant = isRefresh ? this.#refreshTokens.get(token) : this.#takeCode(form);
    if (grant === undefined || form.get('resource') !== grant.resource) {
      sendJson(response, 400, { error: 'invalid_grant' });
      return;
    }
    this.#refreshTokens.delete(token);
    this.#used.add(token);
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.#accessTokens.set(accessToken, grant.resource);
    this.#refreshTokens.set(refreshToken, grant);
    sendJson(response, 200, {
      ...{ access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer' },
      ...{ expires_in: this.tokenSeconds, scope: grant.scope },
    });
  }

  #takeCode(form: URLSearchParams): Grant | undefined {
    const grant = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri')
      ? grant
      : undefined;
  }
}

/** An MCP server that takes tokens of its own authority only. */
export class ProtectedServer {
  readonly url: string;
  /** What came as `authorization`. */
  readonly credentials: (string | undefined)[] = [];
  /** Fields of its metadata that differ. */
  document: object = {};
  /** The `www-authenticate` of its 401; undefined for none. */
  challenge: string | undefined;
  readonly handlers = new Map<string, Handler>();
  readonly #authority: {
    readonly url: string;
    accepts(token: string | undefined, resource: string): boolean;
  };

  static async start(t: TestContext, authority: ScriptedAuthority): Promise<ProtectedServer> {
    const server = createServer();
    const protectedServer = new ProtectedServer(`${await listen(t, server)}/mcp`, authority);
    server.on('request', (request, response) => void protectedServer.#answer(request, response));
    return protectedServer;
  }

  private constructor(url: string, authority: ScriptedAuthority) {
    this.url = url;
    this.#authority = authority;
    this.challenge = `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const form = new URLSearchParams(await text(request));
    const own = this.handlers.get(pathname);
    if (own !== undefined) return void own(request, response, form);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return sendJson(response, 200, {
        resource: this.url,
        authorization_servers: [this.#authority.url],
        scopes_supported: ['read', 'write'],
        ...this.document,
      });
    if (pathname !== '/mcp') return sendJson(response, 404, {});
    this.credentials.push(request.headers.authorization);
    const token = request.headers.authorization?.replace(/^Bearer /, '');
    if (this.#authority.accepts(token, this.url))
      return sendJson(response, 200, { jsonrpc: '2.0', id: 1, result: {} });
    if (this.challenge !== undefined) response.setHeader('www-authenticate', this.challenge);
    sendJson(response, 401, {});
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function listen(t: TestContext, server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
