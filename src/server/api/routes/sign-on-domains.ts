import { z } from 'zod';
import { type DomainClaims, recordOf } from '../../../accounts/sign-on/domain-claims.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { Accounts } from '../../../kernel/ports/identities.ts';
import type { SignOnDomain } from '../../../kernel/ports/sign-on.ts';
import { limits } from '../../limits.ts';
import { byOperator, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

const domainText = textSchema({ min: 1, max: 300 });

const domainSchema = z.strictObject({
  domain: z.string(),
  proven_at: z.iso.datetime().nullable(),
  proven_by: z.enum(['dns', 'operator']).nullable(),
  record: z.strictObject({ type: z.literal('TXT'), name: z.string(), value: z.string() }),
});
const ownedSchema = z.strictObject({
  domain: z.string(),
  organization_id: z.string(),
  proven_at: z.iso.datetime(),
  proven_by: z.enum(['dns', 'operator']).nullable(),
});
const operatorQuery = { after: domainText.optional().describe('The last domain of the page before') };

const errorResponses = {
  400: { description: 'The body or the domain is invalid' },
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right' },
};
const operatorErrors = {
  400: { description: 'The body or the domain is invalid' },
  401: { description: 'Missing or wrong operator token' },
  403: { description: 'WEIR_ADMIN_TOKEN is not set' },
};
const unknown = { 404: { description: 'There is no such domain' } };
const taken = { 409: { description: 'The record was not found, or another organization has the domain' } };

export interface SignOnDomainRouteParts {
  readonly claims: DomainClaims;
  readonly accounts: Pick<Accounts, 'byId'>;
}

/** The mail domains of organizations. */
export function signOnDomainRoutes(parts: SignOnDomainRouteParts): readonly ApiRoute[] {
  return [...ownRoutes(parts), ...operatorRoutes(parts)];
}

function ownRoutes({ claims }: SignOnDomainRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Single sign-on', access: bySession('sign-on') } as const;
  const path = '/v1/organization/sign-on/domains';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List the domains of the organization',
      body: noBody,
      responses: {
        200: { description: 'The domains', schema: z.strictObject({ domains: z.array(domainSchema) }) },
        401: errorResponses[401],
        403: errorResponses[403],
      },
      async handle({ caller: { accountId } }) {
        return { body: { domains: (await claims.list(accountId)).map(describe) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'sign_on.domain_added',
      path,
      summary: 'Claim a domain; the answer has the DNS record that proves it',
      body: jsonBody({ domain: domainText }),
      responses: {
        201: { description: 'The claim', schema: domainSchema },
        ...errorResponses,
        409: { description: 'The organization has too many domains' },
      },
      async handle({ caller: { accountId, identityId }, body }) {
        if (String(identityId) === accountId)
          throw new GatewayError('forbidden', 'this is your own account; domains are for organizations');
        const claim = await claims.add(accountId, body.domain);
        return { status: 201, body: describe(claim), audit: { domain: claim.domain } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'sign_on.domain_proven',
      path: `${path}/:domain/prove`,
      summary: 'Look the DNS record up, and prove the domain with it',
      body: jsonBody({}),
      responses: {
        200: { description: 'The domain is proven', schema: domainSchema },
        ...errorResponses,
        ...unknown,
        ...taken,
        429: { description: 'Too many look-ups' },
      },
      async handle({ caller: { accountId }, parameters: { domain = '' } }) {
        const claim = await claims.prove(accountId, domain);
        return { body: describe(claim), audit: { domain: claim.domain } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'sign_on.domain_removed',
      path: `${path}/:domain`,
      summary: 'Give a domain up; its people can’t sign on any more',
      body: noBody,
      responses: { 204: { description: 'Removed' }, ...errorResponses, ...unknown },
      async handle({ caller: { accountId }, parameters: { domain = '' } }) {
        await claims.remove(accountId, domain);
        return { status: 204, audit: { domain } };
      },
    }),
  ];
}

function operatorRoutes({ claims, accounts }: SignOnDomainRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Operations', access: byOperator } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/operator/domains',
      summary: 'List proven domains with their organizations',
      query: operatorQuery,
      body: noBody,
      responses: {
        200: {
          description: `At most ${limits.memberPageMax} domains`,
          schema: z.strictObject({ domains: z.array(ownedSchema) }),
        },
        ...operatorErrors,
      },
      async handle({ query }) {
        const { after = '' } = parseQuery(operatorQuery, query);
        const proven = await claims.proven(after, limits.memberPageMax);
        return { body: { domains: proven.map(describeOwned) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'sign_on.domain_proven',
      path: '/v1/operator/domains/:domain',
      summary: 'Confirm that an organization has a domain, without a DNS record',
      body: jsonBody({ organization_id: textSchema({ min: 1, max: 100 }) }),
      responses: {
        200: { description: 'The domain is proven', schema: ownedSchema },
        ...operatorErrors,
        404: { description: 'There is no such organization' },
        409: { description: 'Another organization has the domain' },
      },
      async handle({ parameters: { domain = '' }, body: { organization_id: accountId } }) {
        if ((await accounts.byId(accountId)) === undefined)
          throw new GatewayError('not_found', 'no such organization; GET /v1/operator/accounts lists them');
        const claim = await claims.confirm(accountId, domain);
        return { body: describeOwned(claim), audit: { account: accountId, domain: claim.domain } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'sign_on.domain_removed',
      path: '/v1/operator/domains/:domain',
      summary: 'Take a domain from the organization that has it',
      body: noBody,
      responses: { 204: { description: 'Removed' }, ...operatorErrors, ...unknown },
      async handle({ parameters: { domain = '' } }) {
        const account = await claims.release(domain);
        return { status: 204, audit: { account, domain } };
      },
    }),
  ];
}

function describe(claim: SignOnDomain) {
  const { domain, provenAtMs, provenBy } = claim;
  return {
    domain,
    proven_at: provenAtMs === undefined ? null : timestamp(provenAtMs),
    proven_by: provenBy ?? null,
    record: { type: 'TXT', ...recordOf(claim) },
  };
}

function describeOwned({ domain, accountId, provenAtMs = 0, provenBy }: SignOnDomain) {
  return {
    domain,
    organization_id: accountId,
    proven_at: timestamp(provenAtMs),
    proven_by: provenBy ?? null,
  };
}
