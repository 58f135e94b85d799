import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { ListedServiceAccount, ServiceAccounts } from '../../../accounts/service-accounts.ts';
import { changeOf } from '../../../audit/change.ts';
import {
  type ServiceAccount,
  type ServiceToken,
  serviceRoles,
} from '../../../kernel/ports/service-accounts.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { shortNameSchema, timestamp } from '../text.ts';

const name = shortNameSchema(accountsLimits.serviceNameCharactersMax);
const role = z.enum(serviceRoles, `must be one of ${serviceRoles.join(', ')}`);
const days = z
  .int('must be a whole number of days, or null')
  .min(1)
  .max(accountsLimits.serviceTokenDaysMax)
  .nullable();

const tokenFields = {
  id: z.uuid(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().describe('Null for a token that doesn’t expire'),
};
const tokenSchema = z.strictObject({
  ...tokenFields,
  last_used_at: z.iso.datetime().nullable().describe('To the hour'),
});
const serviceAccountSchema = z.strictObject({
  id: z.uuid().describe('Also the id of a member, for roles in projects'),
  name: z.string().describe('Unique in the organization'),
  role: z.enum(serviceRoles),
  created_at: z.iso.datetime(),
  disabled_at: z.iso
    .datetime()
    .nullable()
    .describe('Since when its tokens are refused; null if they are not'),
});
const listSchema = z.strictObject({
  service_accounts: z
    .array(serviceAccountSchema.extend({ tokens: z.array(tokenSchema) }))
    .describe('By name'),
});
const createdTokenSchema = z.strictObject({
  ...tokenFields,
  token: z.string().describe('The token, shown only once'),
});
const errorResponses = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right, or has fewer rights than the service account' },
};
const badBody = { 400: { description: 'The body is invalid' } };
const unknown = { 404: { description: 'The organization has no such service account' } };

const tag = 'Service accounts';
const path = '/v1/organization/service-accounts';
const common = { tag, access: bySession('service-accounts') } as const;
const one = { ...common, path: `${path}/:id` } as const;

/** Programs with a role in the organization of this session. */
export function serviceAccountRoutes(services: ServiceAccounts): readonly ApiRoute[] {
  return [...listRoutes(services), ...oneRoutes(services), ...tokenRoutes(services)];
}

function listRoutes(services: ServiceAccounts): readonly ApiRoute[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List service accounts',
      body: noBody,
      responses: { 200: { description: 'All of them', schema: listSchema }, ...errorResponses },
      handle: async ({ caller }) => ({
        body: { service_accounts: (await services.list(caller)).map(describeListed) },
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'service_account.created',
      path,
      summary: 'Create a service account, which may have no more rights than you',
      body: jsonBody({ name, role }),
      responses: {
        201: { description: 'The service account', schema: serviceAccountSchema },
        ...badBody,
        ...errorResponses,
        409: { description: 'There is one of this name, or there are as many as there may be' },
      },
      async handle({ caller, body }) {
        const made = await services.create(caller, body.name, body.role);
        return { status: 201, body: describe(made), audit: { serviceAccount: made.id, after: body } };
      },
    }),
  ];
}

function oneRoutes(services: ServiceAccounts): readonly ApiRoute[] {
  const switchRoute = (action: 'disable' | 'enable', description: string) =>
    defineRoute({
      ...common,
      method: 'POST',
      audit: `service_account.${action}d`,
      path: `${path}/:id/${action}`,
      summary: `${action === 'disable' ? 'Disable' : 'Enable'} a service account`,
      body: jsonBody({}),
      responses: { 200: { description, schema: serviceAccountSchema }, ...errorResponses, ...unknown },
      async handle({ caller, parameters: { id = '' } }) {
        await services[action](caller, id);
        return { body: describe(await services.find(caller, id)), audit: { serviceAccount: id } };
      },
    });
  return [
    defineRoute({
      ...one,
      method: 'PATCH',
      audit: 'service_account.changed',
      summary: 'Change the name or the role of a service account',
      body: jsonBody({ name: name.optional(), role: role.optional() }),
      responses: {
        200: { description: 'In force for the next request, on all replicas', schema: serviceAccountSchema },
        ...badBody,
        ...errorResponses,
        ...unknown,
        409: { description: 'There is one of this name' },
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const before = await services.find(caller, id);
        await services.change(caller, id, {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.role !== undefined && { role: body.role }),
        });
        const made = await services.find(caller, id);
        return {
          body: describe(made),
          audit: { serviceAccount: id, ...changeOf(settingsOf(before), settingsOf(made)) },
        };
      },
    }),
    switchRoute('disable', 'Its tokens are refused, on all replicas'),
    switchRoute('enable', 'Its tokens work again'),
    defineRoute({
      ...one,
      method: 'DELETE',
      audit: 'service_account.deleted',
      summary: 'Delete a service account with its tokens',
      body: noBody,
      responses: {
        204: { description: 'Its tokens are refused, on all replicas' },
        ...errorResponses,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        await services.remove(caller, id);
        return { status: 204, audit: { serviceAccount: id } };
      },
    }),
  ];
}

function tokenRoutes(services: ServiceAccounts): readonly ApiRoute[] {
  return [
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'service_account.token_created',
      path: `${path}/:id/tokens`,
      summary: 'Create a token of a service account',
      body: jsonBody({
        days: days.default(accountsLimits.serviceTokenDays).describe('How long it works; null for ever'),
      }),
      responses: {
        201: { description: 'The token', schema: createdTokenSchema },
        ...badBody,
        ...errorResponses,
        ...unknown,
        409: { description: `It has ${accountsLimits.serviceTokensMax} tokens` },
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const { token, secret } = await services.createToken(caller, id, body.days);
        const { last_used_at: _, ...described } = describeToken(token);
        return {
          status: 201,
          body: { ...described, token: secret },
          audit: { serviceAccount: id, serviceToken: token.id, days: body.days },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'service_account.token_revoked',
      path: `${path}/:id/tokens/:token`,
      summary: 'Revoke a token of a service account',
      body: noBody,
      responses: {
        204: { description: 'It is refused, on all replicas' },
        ...errorResponses,
        404: { description: 'There is no such service account or token' },
      },
      async handle({ caller, parameters: { id = '', token = '' } }) {
        await services.revokeToken(caller, id, token);
        return { status: 204, audit: { serviceAccount: id, serviceToken: token } };
      },
    }),
  ];
}

/** What can be changed. */
function settingsOf({ name: called, role: held }: ServiceAccount) {
  return { name: called, role: held };
}

function describeListed({ serviceAccount, tokens }: ListedServiceAccount) {
  return { ...describe(serviceAccount), tokens: tokens.map(describeToken) };
}

function describe({ id, name: called, role: held, createdAtMs, disabledAtMs }: ServiceAccount) {
  return {
    ...{ id, name: called, role: held },
    ...{ created_at: timestamp(createdAtMs), disabled_at: timeOf(disabledAtMs) },
  };
}

function describeToken({ id, createdAtMs, usedAtMs, expiresAtMs }: ServiceToken) {
  return {
    ...{ id, created_at: timestamp(createdAtMs) },
    ...{ expires_at: timeOf(expiresAtMs), last_used_at: timeOf(usedAtMs) },
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}
