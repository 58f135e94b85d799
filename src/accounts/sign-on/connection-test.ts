import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { SignOn, SignOnDomains } from '../../kernel/ports/sign-on.ts';
import { countAttempt } from '../count-attempt.ts';
import { limits } from '../limits.ts';
import { type Issuer, type Issuers, keysOf } from './issuers.ts';

export interface ConnectionTestParts {
  readonly issuers: Issuers;
  readonly domains: Pick<SignOnDomains, 'list'>;
  readonly counts: RateLimiter;
}

export const testSteps = ['discovery', 'endpoints', 'pkce', 'keys', 'client', 'domains'] as const;

export interface StepResult {
  readonly step: (typeof testSteps)[number];
  readonly ok: boolean;
  readonly message: string;
}

/** Tries what a sign-on needs, as far as that goes without a person, and says in plain words what is wrong. */
export class ConnectionTest {
  readonly #parts: ConnectionTestParts;

  constructor(parts: ConnectionTestParts) {
    this.#parts = parts;
  }

  /** Later steps are left out if one fails that they need. */
  async run(signOn: SignOn, redirectUri: string): Promise<readonly StepResult[]> {
    const { counts, domains } = this.#parts;
    await countAttempt(counts, `sign-on checks:${signOn.accountId}`, limits.signOnChecksPerAccount);
    const listed = await domains.list(signOn.accountId);
    const proven = listed.filter(({ provenAtMs }) => provenAtMs !== undefined).map(({ domain }) => domain);
    return [
      ...(await this.#tryIssuer(signOn, redirectUri)),
      proven.length === 0
        ? failed('domains', 'no domain is proven, so nobody can sign on yet')
        : passed('domains', `people with an address of ${proven.join(', ')} can sign on`),
    ];
  }

  async #tryIssuer(signOn: SignOn, redirectUri: string): Promise<readonly StepResult[]> {
    let issuer: Issuer;
    try {
      issuer = await this.#parts.issuers.discover(signOn, true);
    } catch (error) {
      return [failed('discovery', `the discovery document can’t be read: ${messageOf(error)}`)];
    }
    return [
      passed('discovery', `${signOn.issuer}/.well-known/openid-configuration was read`),
      checkEndpoints(issuer),
      checkPkce(issuer),
      await this.#tryKeys(issuer),
      await tryClient(issuer, redirectUri),
    ];
  }

  async #tryKeys({ metadata }: Issuer): Promise<StepResult> {
    try {
      await this.#parts.issuers.keySets.check(keysOf(metadata));
      return passed('keys', 'the signing keys were read');
    } catch (error) {
      return failed('keys', `the signing keys can’t be read: ${messageOf(error)}`);
    }
  }
}

function checkEndpoints({ metadata }: Issuer): StepResult {
  const missing = (['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const).filter(
    (name) => metadata[name] === undefined,
  );
  return missing.length === 0
    ? passed('endpoints', 'all needed addresses are in the document')
    : failed('endpoints', `the document has no ${missing.join(', ')}`);
}

/** Providers that don't list methods mostly know S256 all the same. */
function checkPkce({ metadata: { code_challenge_methods_supported: methods } }: Issuer): StepResult {
  if (methods === undefined)
    return passed('pkce', 'the provider does not say whether it knows PKCE, which is sent in any case');
  return methods.includes('S256')
    ? passed('pkce', 'the provider knows PKCE with S256')
    : failed('pkce', 'the provider does not know PKCE with S256');
}

/** A made-up code: a provider that knows the client says that the code is wrong, any other that the client is. */
async function tryClient({ configuration }: Issuer, redirectUri: string): Promise<StepResult> {
  const client = await import('openid-client');
  const made = { code: 'weir-connection-test', redirect_uri: redirectUri, code_verifier: 'x'.repeat(43) };
  try {
    await client.genericGrantRequest(configuration, 'authorization_code', made);
    return failed('client', 'the provider accepted a made-up code');
  } catch (error) {
    const { error: code } = Object(error);
    if (code === 'invalid_grant') return passed('client', 'the provider accepts client id and secret');
    if (code === 'invalid_client' || code === 'unauthorized_client')
      return failed('client', 'the provider does not accept client id and secret');
    if (typeof code === 'string')
      return passed(
        'client',
        `the provider answers "${code.slice(0, 100)}" to a made-up code, and says nothing of client or secret`,
      );
    return failed('client', `the token endpoint gives no valid answer: ${messageOf(error)}`);
  }
}

function passed(step: StepResult['step'], message: string): StepResult {
  return { step, ok: true, message };
}

function failed(step: StepResult['step'], message: string): StepResult {
  return { step, ok: false, message };
}

/** The innermost cause, which says most. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  return error.cause instanceof Error ? messageOf(error.cause) : error.message.slice(0, 300);
}
