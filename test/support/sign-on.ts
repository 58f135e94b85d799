import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fieldsOf } from './at.ts';
import { call, type RawAnswer } from './call.ts';
import { bearer, Person } from './cloud.ts';
import { CookieJar } from './cookie-jar.ts';
import { createOrganization, type MemberSession } from './organizations.ts';
import { ScriptedIssuer, type TokenClaims } from './scripted-issuer.ts';

export const adminToken = 'the-token-of-an-operator';

type Start = (
  t: TestContext,
  settings: Readonly<Record<string, string>>,
) => Promise<readonly [string, string]>;

export interface BegunSignOn {
  readonly jar: CookieJar;
  /** Of the request to the provider. */
  readonly request: URLSearchParams;
}

/** An organization with single sign-on at a scripted provider, and the domain acme.example. */
export class SignOnStage {
  readonly issuer: ScriptedIssuer;
  readonly owner: MemberSession;
  /** Two addresses of the gateway. */
  readonly urls: readonly [string, string];

  static async open(t: TestContext, start: Start, settings: object = {}): Promise<SignOnStage> {
    const issuer = await ScriptedIssuer.start(t);
    const urls = await start(t, { WEIR_EGRESS_ALLOW: issuer.allowance, WEIR_ADMIN_TOKEN: adminToken });
    const owner = await createOrganization(await Person.signUp(urls[0]));
    const stage = new SignOnStage(issuer, owner, urls);
    await stage.confirmDomain('acme.example');
    const stored = await stage.configure(settings);
    assert.equal(stored.status, 200, stored.text);
    return stage;
  }

  private constructor(issuer: ScriptedIssuer, owner: MemberSession, urls: readonly [string, string]) {
    this.issuer = issuer;
    this.owner = owner;
    this.urls = urls;
  }

  get organizationId(): string {
    return this.owner.organizationId;
  }

  configure(settings: object = {}): Promise<RawAnswer> {
    const { url, clientId } = this.issuer;
    const body = {
      issuer: url,
      client_id: clientId,
      client_secret: 'secret',
      default_role: 'viewer',
      ...settings,
    };
    return this.owner.call({ method: 'PUT', path: '/v1/organization/sign-on', body });
  }

  async confirmDomain(domain: string, organizationId = this.organizationId): Promise<void> {
    const { status, text } = await call(this.urls[0], {
      ...{ method: 'PUT', path: `/v1/operator/domains/${domain}`, headers: bearer(adminToken) },
      body: { organization_id: organizationId },
    });
    assert.equal(status, 200, text);
  }

  /** The browser is on its way to the provider. */
  async begin(query: Readonly<Record<string, string>> = {}, jar = new CookieJar()): Promise<BegunSignOn> {
    const sent = new URLSearchParams({ organization: this.organizationId, ...query });
    const { status, headers, text } = await jar.visit(`${this.urls[0]}/v1/sign-on/start?${sent}`);
    assert.equal(status, 303, text);
    const url = new URL(String(headers.location));
    assert.equal(url.origin, this.issuer.url);
    return { jar, request: url.searchParams };
  }

  /** The browser comes back, to the other address of the gateway. */
  finish({ jar, request }: BegunSignOn, more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const [one, other] = this.urls;
    const name = 'weir_sign_on';
    // Over https the cookie has another name; both addresses are one site.
    for (const cookie of [name, `__Host-${name}`]) {
      const value = jar.cookie(one, cookie);
      if (value !== undefined && one !== other) jar.set(other, cookie, value);
    }
    const answer = {
      code: crypto.randomUUID(),
      state: request.get('state') ?? '',
      iss: this.issuer.url,
      ...more,
    };
    return jar.visit(`${other}/v1/sign-on/${this.organizationId}/callback?${new URLSearchParams(answer)}`);
  }

  /** The claims of a person with a verified address. */
  claims(begun: BegunSignOn, claims: TokenClaims = {}): TokenClaims {
    return {
      ...{ sub: 'subject-1', email: 'ann@acme.example', email_verified: true },
      nonce: begun.request.get('nonce') ?? '',
      ...claims,
    };
  }

  async signOn(claims: TokenClaims = {}, query: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const begun = await this.begin(query);
    this.issuer.idToken = await this.issuer.sign(this.claims(begun, claims));
    return this.finish(begun);
  }

  /** A session in the organization. */
  async session(claims: TokenClaims = {}): Promise<string> {
    const answer = await this.signOn(claims);
    assert.equal(answer.status, 303, answer.text);
    const token = tokenIn(answer);
    assert.ok(token);
    return token;
  }

  /** With a session at the other address. */
  async organization(token: string): Promise<RawAnswer> {
    return call(this.urls[1], { path: '/v1/organization', headers: bearer(token) });
  }
}

/** Why a sign-on is refused. */
export function detailOf({ json }: RawAnswer): unknown {
  return fieldsOf(json.error).detail;
}

export function assertRefusal(answer: RawAnswer, detail: string): void {
  assert.deepEqual([answer.status, detailOf(answer)], [401, detail], answer.text);
  assert.equal(tokenIn(answer), undefined);
}

/** The session that an answer sets; undefined if it sets none. */
export function tokenIn({ headers }: RawAnswer): string | undefined {
  const lines = headers['set-cookie'] ?? [];
  const line = lines.find((one) => /^(__Host-)?weir_session=[^;]/.test(one));
  return line === undefined
    ? undefined
    : decodeURIComponent(line.slice(line.indexOf('=') + 1, line.indexOf(';')));
}
