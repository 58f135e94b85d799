import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import type { ApiKeys } from '../../kernel/ports/records.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import type {
  TokenIssuer,
  TokenIssuers as TokenIssuerTable,
  TokenRules,
} from '../../kernel/ports/token-issuers.ts';
import type { Clock } from '../../lib/clock.ts';
import { isUuid } from '../../lib/uuid.ts';
import { limits } from '../limits.ts';
import type { Session } from '../session-tokens.ts';

export interface TokenIssuersParts {
  readonly tokenIssuers: TokenIssuerTable;
  readonly apiKeys: Pick<ApiKeys, 'byId'>;
  readonly versions: Versions;
  readonly clock: Clock;
  /** Why the gateway may not connect to an address; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
}

export interface TokenIssuerInput {
  readonly issuer: string;
  readonly audience: string;
  readonly rules: TokenRules;
}

/** Issuers that give a token to anybody, for any audience: only claims tell whose it is. */
const publicIssuers: ReadonlySet<string> = new Set([
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
  'https://agent.buildkite.com',
  'https://app.terraform.io',
  'https://oidc.vercel.com',
]);

/** The issuers whose tokens an organization accepts as credentials of calls. A change is effective on every replica before it is confirmed. */
export class TokenIssuers {
  readonly #parts: TokenIssuersParts;

  constructor(parts: TokenIssuersParts) {
    this.#parts = parts;
  }

  list({ accountId }: Pick<Session, 'accountId'>): Promise<readonly TokenIssuer[]> {
    return this.#parts.tokenIssuers.list(accountId);
  }

  async find({ accountId }: Pick<Session, 'accountId'>, id: string): Promise<TokenIssuer> {
    const found = isUuid(id) ? await this.#parts.tokenIssuers.find(id) : undefined;
    if (found?.accountId !== accountId) throw unknownIssuerError();
    return found;
  }

  async create(session: Session, input: TokenIssuerInput): Promise<TokenIssuer> {
    const { tokenIssuers, versions, clock } = this.#parts;
    const { accountId } = session;
    await this.#check(session, input);
    const nowMs = clock.now();
    const made = { id: randomUUID(), accountId, ...input, createdAtMs: nowMs, updatedAtMs: nowMs };
    const outcome = await tokenIssuers.add(made, limits.tokenIssuersMax);
    if (outcome === 'limit_reached')
      throw new GatewayError(
        'token_issuer_limit_reached',
        `there are ${limits.tokenIssuersMax} issuers, which is the most; delete one first`,
      );
    if (outcome === 'taken') throw takenError();
    await versions.renew(accountId);
    return made;
  }

  async change(session: Session, id: string, input: TokenIssuerInput): Promise<TokenIssuer> {
    const { tokenIssuers, versions, clock } = this.#parts;
    await this.#check(session, input);
    const before = await this.find(session, id);
    // Greater than before also if the clock stands still.
    const updatedAtMs = Math.max(clock.now(), before.updatedAtMs + 1);
    const after = { ...before, ...input, updatedAtMs };
    const outcome = await tokenIssuers.change(after);
    await versions.renew(session.accountId);
    if (outcome === 'unknown') throw unknownIssuerError();
    if (outcome === 'taken') throw takenError();
    return after;
  }

  /** Its tokens are refused on every replica when this resolves. */
  async remove(session: Pick<Session, 'accountId'>, id: string): Promise<TokenIssuer> {
    const { tokenIssuers, versions } = this.#parts;
    const found = await this.find(session, id);
    const isRemoved = await tokenIssuers.remove(session.accountId, id);
    await versions.renew(session.accountId);
    if (!isRemoved) throw unknownIssuerError();
    return found;
  }

  async #check({ accountId, identityId }: Session, input: TokenIssuerInput): Promise<void> {
    const { issuer, audience, rules } = input;
    if (String(identityId) === accountId)
      throw new GatewayError(
        'forbidden',
        'this is your own account; issuers of tokens are for organizations',
      );
    this.#checkAddress('issuer', issuer);
    if (rules.jwksUri !== null) this.#checkAddress('jwks_uri', rules.jwksUri);
    // Otherwise an organization could claim the tokens that are meant for another.
    if (!audience.includes(accountId))
      throw invalidError('audience', `must contain the id of the organization, ${accountId}`);
    if (publicIssuers.has(issuer.replace(/\/$/, '')) && rules.requiredClaims.length === 0)
      throw invalidError(
        'required_claims',
        'is needed: this issuer gives tokens for your audience to anybody, so that a claim has to say whose they are',
      );
    if (rules.keyId === null && rules.projectClaim === null)
      throw invalidError('key_id', 'is needed, unless there is a project_claim');
    if ((rules.projectClaim === null) !== (rules.projectKeys.length === 0))
      throw invalidError('project_keys', 'is needed with project_claim, and only with it');
    const keyIds = [rules.keyId, ...rules.projectKeys.map(({ keyId }) => keyId)].filter((id) => id !== null);
    for (const keyId of new Set(keyIds)) await this.#checkKey(accountId, keyId);
  }

  async #checkKey(accountId: string, keyId: string): Promise<void> {
    const key = isUuid(keyId) ? await this.#parts.apiKeys.byId(keyId) : undefined;
    if (key?.accountId === accountId && key.revokedAtMs === null) return;
    throw invalidError(
      'key_id',
      `${keyId} is no active API key of the organization; GET /v1/keys lists them`,
    );
  }

  #checkAddress(param: string, text: string): void {
    const url = URL.parse(text);
    const fault =
      url === null || url.hash !== '' || url.username !== '' || url.password !== ''
        ? 'must be an address such as https://login.example.com'
        : this.#parts.findAddressFault(url);
    if (fault !== undefined) throw invalidError(param, fault);
  }
}

function unknownIssuerError(): GatewayError {
  return new GatewayError('not_found', 'no such issuer; GET /v1/organization/token-issuers lists them');
}

function takenError(): GatewayError {
  return new GatewayError(
    'token_issuer_exists',
    'this issuer is configured with this audience already; change that one, or choose another audience',
    { param: 'audience' },
  );
}

function invalidError(param: string, why: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${why}`, { param });
}
