import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { cleanUp } from './clean-up.ts';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Also what no token may have. */
export type TokenClaims = Readonly<Record<string, unknown>>;

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** An identity provider whose every answer a test decides. */
export class ScriptedIssuer {
  readonly url: string;
  readonly clientId = 'weir';
  /** Forms that came to the token endpoint. */
  readonly exchanges: URLSearchParams[] = [];
  /** How often each path was asked for. */
  readonly requests = new Map<string, number>();
  /** Answers in place of the usual ones, by path. */
  readonly handlers = new Map<string, Handler>();
  /** Fields of the discovery document that differ. */
  document: object = {};
  /** The ID token of the next exchange. */
  idToken = '';
  userInfo: object | undefined;
  #key: SigningKey;
  #keys = 1;

  static async start(t: TestContext): Promise<ScriptedIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(t, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const issuer = new ScriptedIssuer(`http://127.0.0.1:${port}`, await createKey('key1'));
    server.on('request', (request, response) => issuer.#answer(request, response));
    return issuer;
  }

  private constructor(url: string, key: SigningKey) {
    this.url = url;
    this.#key = key;
  }

  /** The settings of a gateway that may connect to it. */
  get allowance(): string {
    return `sign-on=${this.url}`;
  }

  async rotate(): Promise<void> {
    this.#keys++;
    this.#key = await createKey(`key${this.#keys}`);
  }

  /** A token with the claims of a person, and others. */
  sign(claims: TokenClaims, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: this.url,
      aud: this.clientId,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: this.#key.kid, ...header })
      .sign(this.#key.privateKey);
  }

  /** The key as a shared secret: what a confused verifier would take it for. */
  get publicKeyText(): string {
    return JSON.stringify(this.#key.jwk);
  }

  /** Sends everybody back at once, as this person. */
  answerSignOns(claims: TokenClaims): void {
    this.handlers.set('/authorize', async (request, response) => {
      const asked = new URL(request.url ?? '/', this.url).searchParams;
      this.idToken = await this.sign({ ...claims, nonce: asked.get('nonce') });
      const location = new URL(asked.get('redirect_uri') ?? '');
      const answer = { code: crypto.randomUUID(), state: asked.get('state') ?? '', iss: this.url };
      location.search = String(new URLSearchParams(answer));
      response.writeHead(303, { location: location.href }).end();
    });
  }

  get kid(): string {
    return this.#key.kid;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? '/', this.url).pathname;
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1);
    const handler = this.handlers.get(path);
    if (handler !== undefined) handler(request, response);
    else if (path === '/.well-known/openid-configuration') sendJson(response, this.#discovery());
    else if (path === '/keys') sendJson(response, { keys: [this.#key.jwk] });
    else if (path === '/userinfo') sendJson(response, this.userInfo ?? {});
    else if (path === '/token') void this.#exchange(request, response);
    else response.writeHead(404).end();
  }

  #discovery(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.userInfo !== undefined && { userinfo_endpoint: `${this.url}/userinfo` }),
      ...this.document,
    };
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    const isUsed = this.exchanges.some((earlier) => earlier.get('code') === form.get('code'));
    if (isUsed || form.get('code') === 'weir-connection-test')
      return sendJson(response, { error: 'invalid_grant' }, 400);
    this.exchanges.push(form);
    const body = { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: this.idToken };
    sendJson(response, body);
  }
}

export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function createKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}
