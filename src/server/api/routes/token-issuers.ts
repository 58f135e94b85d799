import { z } from 'zod';
import { limits } from '../../../accounts/limits.ts';
import type { TokenIssuerInput, TokenIssuers } from '../../../accounts/token-issuers/token-issuers.ts';
import { signatureAlgorithms, type TokenIssuer } from '../../../kernel/ports/token-issuers.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

const claimName = textSchema({ min: 1, max: limits.claimCharactersMax });
const claimValue = textSchema({ min: 1, max: limits.claimCharactersMax });
const algorithm = z.enum(signatureAlgorithms, `must be one of ${signatureAlgorithms.join(', ')}`);
const keyId = textSchema({ min: 1, max: 100 });

const bodyShape = {
  issuer: textSchema({ min: 1, max: 1000 }).describe('The claim `iss` of its tokens, exactly'),
  audience: textSchema({ min: 1, max: 1000 }).describe(
    'The claim `aud` of its tokens, exactly; it contains the id of the organization',
  ),
  jwks_uri: textSchema({ min: 1, max: 1000 })
    .nullable()
    .default(null)
    .describe('Where its public keys are; null if its discovery document says so'),
  algorithms: z
    .array(algorithm)
    .min(1)
    .default(['RS256', 'ES256'])
    .describe('With which it signs; none with a shared secret'),
  subject_claim: claimName.default('sub').describe('The claim with the end user of a call'),
  required_claims: z
    .array(
      z.strictObject({ claim: claimName, values: z.array(claimValue).min(1).max(limits.claimValuesMax) }),
    )
    .max(limits.requiredClaimsMax)
    .default([])
    .describe('Each has one of its values, or contains one'),
  key_id: keyId
    .nullable()
    .default(null)
    .describe('The API key whose project, pipeline, limits, budgets and access rules calls have'),
  project_claim: claimName.nullable().default(null).describe('The claim that names the project of a call'),
  project_keys: z
    .array(z.strictObject({ value: claimValue, key_id: keyId }))
    .max(limits.projectKeysMax)
    .default([])
    .describe('The API key for each value of that claim, in the place of `key_id`'),
};

const issuerSchema = z.strictObject({
  id: z.uuid(),
  issuer: z.string(),
  audience: z.string(),
  jwks_uri: z.string().nullable(),
  algorithms: z.array(z.enum(signatureAlgorithms)),
  subject_claim: z.string(),
  required_claims: z.array(z.strictObject({ claim: z.string(), values: z.array(z.string()) })),
  key_id: z.string().nullable(),
  project_claim: z.string().nullable(),
  project_keys: z.array(z.strictObject({ value: z.string(), key_id: z.string() })),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
const listSchema = z.strictObject({
  suggested_audience: z.string(),
  token_issuers: z.array(issuerSchema),
});

const errorResponses = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right, or this is no organization' },
};
const badBody = { 400: { description: 'The body is invalid' } };
const unknown = { 404: { description: 'The organization has no such issuer' } };
const conflict = {
  409: { description: 'Issuer and audience are configured already, or there are too many' },
};

/** The issuers whose tokens an organization accepts as credentials of calls. */
export function tokenIssuerRoutes(
  issuers: TokenIssuers,
  address: { readonly url: string },
): readonly ApiRoute[] {
  const common = { tag: 'Tokens of issuers', access: bySession('sign-on') } as const;
  const path = '/v1/organization/token-issuers';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List the issuers whose tokens are accepted',
      body: noBody,
      responses: { 200: { description: 'All of them', schema: listSchema }, ...errorResponses },
      handle: async ({ caller }) => ({
        body: {
          suggested_audience: `${address.url}/organizations/${caller.accountId}`,
          token_issuers: (await issuers.list(caller)).map(describe),
        },
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'token_issuer.created',
      path,
      summary: 'Accept tokens of an issuer',
      body: jsonBody(bodyShape),
      responses: {
        201: { description: 'In force for the next request', schema: issuerSchema },
        ...badBody,
        ...errorResponses,
        ...conflict,
      },
      async handle({ caller, body }) {
        const made = await issuers.create(caller, inputOf(body));
        return {
          status: 201,
          body: describe(made),
          audit: { tokenIssuer: made.id, issuer: made.issuer, after: body },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'token_issuer.changed',
      path: `${path}/:id`,
      summary: 'Replace the settings of an issuer',
      body: jsonBody(bodyShape),
      responses: {
        200: { description: 'In force for the next request, on all replicas', schema: issuerSchema },
        ...badBody,
        ...errorResponses,
        ...unknown,
        ...conflict,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const before = await issuers.find(caller, id);
        const after = await issuers.change(caller, id, inputOf(body));
        return {
          body: describe(after),
          audit: { tokenIssuer: id, issuer: after.issuer, before: describe(before), after: describe(after) },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'token_issuer.deleted',
      path: `${path}/:id`,
      summary: 'Accept no more tokens of an issuer',
      body: noBody,
      responses: {
        204: { description: 'Its tokens are refused, on all replicas' },
        ...errorResponses,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const { issuer } = await issuers.remove(caller, id);
        return { status: 204, audit: { tokenIssuer: id, issuer } };
      },
    }),
  ];
}

function inputOf(body: z.output<z.ZodObject<typeof bodyShape>>): TokenIssuerInput {
  return {
    ...{ issuer: body.issuer, audience: body.audience },
    rules: {
      jwksUri: body.jwks_uri,
      algorithms: body.algorithms,
      subjectClaim: body.subject_claim,
      requiredClaims: body.required_claims,
      keyId: body.key_id,
      projectClaim: body.project_claim,
      projectKeys: body.project_keys.map(({ value, key_id: key }) => ({ value, keyId: key })),
    },
  };
}

function describe({ id, issuer, audience, rules, createdAtMs, updatedAtMs }: TokenIssuer) {
  return {
    ...{ id, issuer, audience },
    jwks_uri: rules.jwksUri,
    algorithms: rules.algorithms,
    subject_claim: rules.subjectClaim,
    required_claims: rules.requiredClaims,
    key_id: rules.keyId,
    project_claim: rules.projectClaim,
    project_keys: rules.projectKeys.map(({ value, keyId: key }) => ({ value, key_id: key })),
    ...{ created_at: timestamp(createdAtMs), updated_at: timestamp(updatedAtMs) },
  };
}
