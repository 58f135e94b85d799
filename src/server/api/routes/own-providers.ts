import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { ProviderKeyVault } from '../../../accounts/provider-key-vault.ts';
import { changeOf } from '../../../audit/change.ts';
import type { OwnProvider, OwnProviders } from '../../../calls/own-providers/own-providers.ts';
import { notAllowedError } from '../../../calls/target-rules.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { keySlotOf, type Provider } from '../../../kernel/provider.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { KeyTestResult } from '../../../providers/key-test.ts';
import { limits as providerLimits } from '../../../providers/limits.ts';
import {
  ownHeadersField,
  ownProviderFields,
  ownProviderSettings,
} from '../../../providers/own/own-provider-settings.ts';
import { limits } from '../../limits.ts';
import { type AccountCaller, credentialOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonObjectBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { invalidFieldError, parseWithSchema } from '../validation.ts';
import { testResultSchema } from './key-test.ts';

export interface OwnProviderRouteParts {
  readonly ownProviders: OwnProviders;
  readonly vault: ProviderKeyVault;
  readonly attempts: RateLimiter;
  test(provider: Provider, key: Secret | undefined): Promise<KeyTestResult>;
  /** Called when the provider has accepted a key. */
  onAccepted(provider: Provider, key: Secret): void;
}

const headersShape = z.record(z.string(), z.string().nullable());
const providerBody = z.strictObject({
  ...ownProviderFields,
  kind: z
    .string()
    .optional()
    .describe('The name of the built-in provider that it is like; without one, it has the API of OpenAI'),
  headers: headersShape
    .optional()
    .describe('Headers of every request. Their values are never returned; null keeps the stored value'),
});
const providerInfo = z.strictObject({
  name: z.string(),
  ...ownProviderFields,
  kind: z.string().nullable(),
  base_url: z.string().describe('The address of its API; parts in braces depend on the key'),
  prices: z.record(z.string(), z.unknown()).optional().describe('As they were set'),
  headers: z.array(z.string()).describe('The names of its headers'),
  has_key: z.boolean().describe('Whether a provider key is stored for its address'),
  updatedAt: z.iso.datetime(),
});
const listInfo = z.strictObject({
  providers: z.array(providerInfo),
  allowed: z.boolean().describe('Whether the operator lets accounts define providers'),
});
const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const notFound = { 404: { description: 'The account has no such provider' } };
const sessionOnly = {
  403: { description: 'API keys can read providers only, or the operator does not let accounts define any' },
};

/** Providers that an account defines for its own calls. */
export function ownProviderRoutes(parts: OwnProviderRouteParts): readonly ApiRoute[] {
  const { ownProviders, vault, attempts } = parts;
  const common = { tag: 'Providers', access: bySessionOrKey('settings') } as const;
  const path = '/v1/providers/:name';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/providers',
      summary: 'List the providers that the account has defined',
      body: noBody,
      responses: { 200: { description: 'The providers by name', schema: listInfo }, ...unauthenticated },
      async handle({ caller }) {
        const all = await ownProviders.list(caller.accountId);
        const visible = all.filter(({ name }) => maySee(caller, name));
        return { body: { providers: visible.map(describeProvider), allowed: ownProviders.isAllowed } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a provider that the account has defined',
      body: noBody,
      responses: {
        200: { description: 'The provider', schema: providerInfo },
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters: { name = '' } }) {
        requireSight(caller, name);
        return { body: describeProvider(await ownProviders.get({ accountId: caller.accountId, name })) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'provider.stored',
      path,
      summary: 'Define a provider, or replace its settings; store its key with PUT /v1/byok/:provider',
      body: { ...jsonObjectBody, description: { schema: providerBody, required: true } },
      responses: {
        200: { description: 'It is in use on all replicas', schema: providerInfo },
        400: { description: 'The settings are invalid, or the address is not allowed' },
        409: { description: 'The gateway has a provider of this name, or the account has too many' },
        ...unauthenticated,
        ...sessionOnly,
      },
      async handle({ caller, parameters: { name = '' }, body }) {
        const accountId = caller.accountId;
        if (JSON.stringify(body).length > providerLimits.ownProviderCharactersMax)
          throw invalidFieldError(
            `a provider has at most ${providerLimits.ownProviderCharactersMax} characters of JSON`,
            '',
          );
        const { headers = {}, ...rest } = body;
        const settings = parseWithSchema(ownProviderSettings, rest);
        const { headers: sent } = parseWithSchema(z.object({ headers: ownHeadersField }), { headers });
        const options = { headers: sent, shown: credentialOf(caller) };
        const before = (await ownProviders.list(accountId)).find((known) => known.name === name);
        const after = describeProvider(await ownProviders.put({ accountId, name }, settings, options));
        const change = changeOf(before === undefined ? {} : describeProvider(before), after);
        return { body: after, audit: { provider: name, ...change } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'provider.deleted',
      path,
      summary: 'Delete a provider with its keys; calls that name it are rejected',
      body: noBody,
      responses: { 204: { description: 'It is deleted' }, ...unauthenticated, ...sessionOnly, ...notFound },
      async handle({ caller, parameters: { name = '' } }) {
        const id = { accountId: caller.accountId, name };
        const before = describeProvider(await ownProviders.get(id));
        await ownProviders.delete(id);
        return { status: 204, audit: { provider: name, ...changeOf(before, {}) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: `${path}/test`,
      access: bySessionOrKey('provider-keys'),
      summary: 'Test a provider with a free request, with its first stored key if there is one',
      body: noBody,
      responses: {
        200: { description: 'The result of the test', schema: testResultSchema },
        403: { description: 'The operator does not let accounts define providers' },
        429: { description: 'Too many attempts' },
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters: { name = '' } }) {
        const { accountId } = caller;
        requireSight(caller, name);
        const provider = await ownProviders.usable({ accountId, name });
        await countAttempt(attempts, `key-test:${accountId}`, limits.keyTestsPerAccount);
        const [first] = await vault.keysOf({ accountId, provider: keySlotOf(provider) });
        if (first === undefined && !provider.keyless)
          return { body: { ok: false, detail: `no key is stored for ${name} at its address` } };
        const result = await parts.test(provider, first?.secret);
        if (result.ok && first?.secret !== undefined) parts.onAccepted(provider, first.secret);
        return { body: result };
      },
    }),
  ];
}

/** The access rules of a key may leave a provider out. */
function maySee(caller: AccountCaller, name: string): boolean {
  return caller.kind !== 'key' || caller.access?.allowsProvider(name) !== false;
}

function requireSight(caller: AccountCaller, name: string): void {
  if (!maySee(caller, name)) throw notAllowedError('provider', name.slice(0, 100));
}

function describeProvider({ name, stored, provider, hasKey, updatedAtMs }: OwnProvider) {
  return {
    name,
    ...stored.settings,
    kind: stored.settings.kind ?? null,
    base_url: provider.baseUrl,
    headers: stored.headers,
    has_key: hasKey,
    updatedAt: timestamp(updatedAtMs),
  };
}
