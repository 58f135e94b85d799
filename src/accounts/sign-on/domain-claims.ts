import { GatewayError } from '../../kernel/errors.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { SignOnDomain, SignOnDomains } from '../../kernel/ports/sign-on.ts';
import type { Clock } from '../../lib/clock.ts';
import { countAttempt } from '../count-attempt.ts';
import { limits } from '../limits.ts';
import { createLinkToken } from '../link-token.ts';
import { normalizeDomain } from './email-domain.ts';

export interface DomainClaimsParts {
  readonly domains: SignOnDomains;
  readonly counts: RateLimiter;
  readonly clock: Clock;
  /** The TXT records of a name; undefined where no DNS may be asked. */
  readonly textsOf: ((name: string) => Promise<readonly string[]>) | undefined;
}

/** The DNS record that proves a domain. */
export interface DomainRecord {
  readonly name: string;
  readonly value: string;
}

export function recordOf({ domain, token }: Pick<SignOnDomain, 'domain' | 'token'>): DomainRecord {
  return { name: `_weir.${domain}`, value: `weir-domain=${token}` };
}

/** The mail domains of organizations, proven by a DNS record or by the operator. */
export class DomainClaims {
  readonly #parts: DomainClaimsParts;

  constructor(parts: DomainClaimsParts) {
    this.#parts = parts;
  }

  list(accountId: string): Promise<readonly SignOnDomain[]> {
    return this.#parts.domains.list(accountId);
  }

  proven(after: string, limit: number): Promise<readonly SignOnDomain[]> {
    return this.#parts.domains.proven(after, limit);
  }

  /** Whoever claims a domain learns nothing of others who do. */
  async add(accountId: string, text: string): Promise<SignOnDomain> {
    const { domains, clock } = this.#parts;
    const claim = { accountId, domain: domainFrom(text), addedAtMs: clock.now() };
    const { token } = createLinkToken();
    const added = await domains.add({ ...claim, token }, limits.signOnDomainsMax);
    if (added !== undefined) return added;
    throw new GatewayError(
      'member_limit_reached',
      `an organization has at most ${limits.signOnDomainsMax} domains; remove some`,
    );
  }

  /** Looks the record up. Throws if it isn't there, or if another organization has the domain. */
  async prove(accountId: string, text: string): Promise<SignOnDomain> {
    const domain = domainFrom(text);
    const claim = await this.#find(accountId, domain);
    if (claim.provenAtMs !== undefined) return claim;
    await countAttempt(this.#parts.counts, `sign-on checks:${accountId}`, limits.signOnChecksPerAccount);
    const { name, value } = recordOf(claim);
    const found = await this.#textsOf(name);
    if (!found.includes(value))
      throw new GatewayError(
        'domain_unproven',
        found.length === 0
          ? `no TXT record was found at ${name}; a new one may take an hour until it is seen`
          : `the TXT records at ${name} are others; one of them has to be exactly ${value}`,
      );
    return this.#settle(accountId, domain, 'dns');
  }

  /** By the operator, without a record. */
  async confirm(accountId: string, text: string): Promise<SignOnDomain> {
    const { domain } = await this.add(accountId, text);
    return this.#settle(accountId, domain, 'operator');
  }

  async remove(accountId: string, text: string): Promise<void> {
    if (!(await this.#parts.domains.remove(accountId, domainFrom(text)))) throw unknownDomainError();
  }

  /** By the operator, from the organization that has it. */
  async release(text: string): Promise<string> {
    const domain = domainFrom(text);
    const owner = await this.#parts.domains.ownerOf(domain);
    if (owner === undefined) throw unknownDomainError();
    await this.remove(owner, domain);
    return owner;
  }

  async #settle(accountId: string, domain: string, by: 'dns' | 'operator'): Promise<SignOnDomain> {
    const { domains, clock } = this.#parts;
    const outcome = await domains.prove({ accountId, domain, by, atMs: clock.now() });
    if (outcome === 'taken')
      throw new GatewayError('domain_taken', 'another organization has proven this domain; ask the operator');
    return this.#find(accountId, domain);
  }

  async #find(accountId: string, domain: string): Promise<SignOnDomain> {
    const claim = (await this.list(accountId)).find((one) => one.domain === domain);
    if (claim === undefined) throw unknownDomainError();
    return claim;
  }

  #textsOf(name: string): Promise<readonly string[]> {
    const { textsOf } = this.#parts;
    if (textsOf === undefined)
      throw new GatewayError(
        'domain_unproven',
        'this gateway asks no DNS; the operator can confirm the domain',
      );
    return textsOf(name).catch((cause: unknown) => {
      throw new GatewayError(
        'domain_unproven',
        `the DNS servers give no answer about ${name}; try again later`,
        {
          cause,
        },
      );
    });
  }
}

function domainFrom(text: string): string {
  const domain = normalizeDomain(text);
  if (domain !== undefined) return domain;
  throw new GatewayError('invalid_request', 'domain: must be a domain such as example.com', {
    param: 'domain',
  });
}

function unknownDomainError(): GatewayError {
  return new GatewayError(
    'not_found',
    'no such domain; GET /v1/organization/sign-on/domains lists those of the organization',
  );
}
