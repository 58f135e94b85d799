import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { identityIdOf, type Members } from '../../kernel/ports/identities.ts';
import type { RateLimiter, Versions } from '../../kernel/ports/shared-state.ts';
import type {
  AdmittedPerson,
  SignOn,
  SignOnAdmissions,
  SignOnDomains,
  SignOns,
} from '../../kernel/ports/sign-on.ts';
import type { Clock } from '../../lib/clock.ts';
import { countAddressAttempt } from '../count-attempt.ts';
import { limits } from '../limits.ts';
import type { SessionTokens } from '../session-tokens.ts';
import type { LoginResult } from '../user-accounts.ts';
import { emailOf, roleOfGroups } from './claims.ts';
import { domainOf } from './email-domain.ts';
import type { Claims, Issuers } from './issuers.ts';
import { ownPath } from './return-path.ts';
import type { SignOnAttempts } from './sign-on-attempts.ts';
import { SignOnFailure } from './sign-on-error.ts';

export interface SingleSignOnParts {
  readonly signOns: Pick<SignOns, 'find'>;
  readonly domains: Pick<SignOnDomains, 'list' | 'ownerOf'>;
  readonly admissions: SignOnAdmissions;
  readonly members: Pick<Members, 'find'>;
  readonly tokens: Pick<SessionTokens, 'issue'>;
  readonly issuers: Issuers;
  readonly attempts: SignOnAttempts;
  readonly counts: RateLimiter;
  readonly versions: Versions;
  readonly address: { readonly url: string };
  readonly clock: Clock;
  /** Deletes stored content that somebody else may have left in an account. */
  forgetContent(accountId: string): Promise<void>;
}

interface SignOnStart {
  /** The id of the organization, or the address of a person. */
  readonly organization: string | undefined;
  readonly email: string | undefined;
  readonly returnPath: string | undefined;
}

export interface BegunSignOn {
  /** The page of the identity provider. */
  readonly url: string;
  /** For the browser, which sends it with the answer. */
  readonly cookie: string;
}

interface SignOnAnswer {
  readonly accountId: string;
  /** With its question mark. */
  readonly query: string;
  readonly cookie: string | undefined;
  /** The user agent. */
  readonly client: string;
}

export interface FinishedSignOn {
  readonly login: LoginResult;
  readonly person: AdmittedPerson;
  readonly returnPath: string;
}

/** Signs people on with the identity provider of their organization. */
export class SingleSignOn {
  readonly #parts: SingleSignOnParts;

  constructor(parts: SingleSignOnParts) {
    this.#parts = parts;
  }

  count(address: string): Promise<void> {
    return countAddressAttempt(this.#parts.counts, {
      ...{ address, counterName: (block: string) => `sign-on:${block}` },
      ...limits.signOnsPerAddress,
    });
  }

  /** Where the identity provider sends people back to. Each organization has an address of its own, so that two providers can't be mixed up. */
  redirectUri(accountId: string): string {
    return `${this.#parts.address.url}/v1/sign-on/${accountId}/callback`;
  }

  async begin({ organization, email, returnPath }: SignOnStart): Promise<BegunSignOn> {
    const signOn = await this.#findFor(organization, email);
    if (signOn === undefined) throw unknownError();
    const { accountId, issuer } = signOn;
    const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
    const redirectUri = this.redirectUri(accountId);
    const url = await this.#parts.issuers
      .begin(signOn, { state, nonce, verifier }, { redirectUri, email })
      .catch((cause: unknown) => {
        throw new SignOnFailure('provider_unavailable', cause);
      });
    const cookie = this.#parts.attempts.seal({
      ...{ accountId, issuer, state, nonce, verifier },
      returnPath: ownPath(returnPath),
    });
    return { url, cookie };
  }

  /** Throws a `SignOnFailure` if the answer is refused. */
  async finish({ accountId, query, cookie, client }: SignOnAnswer): Promise<FinishedSignOn> {
    const { signOns, attempts, clock } = this.#parts;
    const state = new URLSearchParams(query).get('state');
    const attempt = await attempts.use(cookie, { accountId, state });
    const signOn = await signOns.find(accountId);
    if (attempt === undefined || signOn?.issuer !== attempt.issuer) throw new SignOnFailure('attempt');
    const answer = new URL(`${this.redirectUri(accountId)}${query}`);
    const claims = await this.#parts.issuers.finish(signOn, answer, attempt).catch((cause: unknown) => {
      throw failureOf(cause);
    });
    const person = await this.#admit(signOn, claims, clock.now());
    const member = await this.#parts.members.find(person.identityId, accountId);
    const { subject, sid } = claims;
    const issued = member && (await this.#parts.tokens.issue(member, client, { subject, sid }));
    if (member === undefined || issued === undefined) throw new SignOnFailure('disabled');
    return { login: { ...issued, member }, person, returnPath: attempt.returnPath };
  }

  /** The account, if it has single sign-on; for the audit log. */
  async knownAccount(accountId: string): Promise<string | undefined> {
    return (await this.#parts.signOns.find(accountId))?.accountId;
  }

  async #findFor(organization: string | undefined, email: string | undefined): Promise<SignOn | undefined> {
    const { signOns, domains } = this.#parts;
    if (organization !== undefined) return signOns.find(organization);
    const domain = email === undefined ? undefined : domainOf(email);
    const owner = domain === undefined ? undefined : await domains.ownerOf(domain);
    return owner === undefined ? undefined : signOns.find(owner);
  }

  async #admit(signOn: SignOn, { subject, all }: Claims, nowMs: number): Promise<AdmittedPerson> {
    const { domains, admissions, versions, forgetContent } = this.#parts;
    const { accountId, issuer, groupsClaim } = signOn;
    const listed = await domains.list(accountId);
    const proven = listed.filter(({ provenAtMs }) => provenAtMs !== undefined);
    const admission = await admissions.admit({
      ...{ accountId, issuer, subject, nowMs },
      email: emailOf(all, new Set(proven.map(({ domain }) => domain))),
      role: roleOfGroups(signOn, all),
      followsGroups: groupsClaim !== undefined,
      newId: identityIdOf(randomUUID()),
      membersMax: limits.membersMax,
      membershipsMax: limits.membershipsMax,
    });
    if (admission.outcome !== 'admitted') throw new SignOnFailure(admission.outcome);
    for (const taken of admission.person.takenOver) {
      await versions.renew(taken);
      await forgetContent(taken);
    }
    return admission.person;
  }
}

/** 256 random bits. */
function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

function failureOf(cause: unknown): SignOnFailure {
  if (cause instanceof SignOnFailure) return cause;
  if (Object(cause).name === 'AuthorizationResponseError')
    return new SignOnFailure('provider_refused', cause);
  return new SignOnFailure(isUnanswered(cause) ? 'provider_unavailable' : 'invalid_answer', cause);
}

/** Whether a request found no server, or no end: the package wraps such errors. */
function isUnanswered(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code } = Object(cause);
  return (typeof code === 'string' && /^(EGRESS_|OAUTH_TIMEOUT)/.test(code)) || isUnanswered(cause.cause);
}

/** The same for an unknown organization, one without single sign-on, and an address of no known domain. */
function unknownError(): GatewayError {
  return new GatewayError('not_found', 'there is no single sign-on for this organization or mail address');
}
