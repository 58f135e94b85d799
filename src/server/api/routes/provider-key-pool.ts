import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { ProviderKeyVault, StoredProviderKey } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { CredentialHealth } from '../../../kernel/ports/health.ts';
import { keySlotOf, type Provider } from '../../../kernel/provider.ts';
import { Secret } from '../../../lib/secret.ts';
import type { CallerDirectory } from '../../../providers/own/own-directory.ts';
import { limits } from '../../limits.ts';
import { credentialOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import {
  apiKeyNotAllowedError,
  checkMayDelete,
  checkMayUse,
  checkProviderKey,
  providerKeyText,
} from '../provider-key-input.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

export interface ProviderKeyPoolParts {
  readonly vault: ProviderKeyVault;
  /** The providers that the account knows. */
  directoryFor(accountId: string): Promise<CallerDirectory>;
  /** What the provider makes of a key. */
  healthOf(provider: Provider, key: Secret): Promise<CredentialHealth>;
}

const keyInfo = z.strictObject({
  id: z.string(),
  name: z.string(),
  weight: z.int().describe('The share of conversations, in relation to the weights of the other keys'),
  hint: z.string().nullable().describe('The last 4 characters; null for short keys'),
  state: z
    .enum(['ok', 'resting', 'rejected', 'unreadable'])
    .describe(
      'resting: the provider sent retry-after or fails, or the key has no credit; rejected: the provider answered 401 or 403; unreadable: stored with another secret of the gateway',
    ),
  until: z.iso.datetime().nullable().describe('When a resting key is used again'),
  models: z.array(z.string()).describe('The models that the state is about; empty for all'),
  updatedAt: z.iso.datetime(),
});
const poolInfo = z.strictObject({ provider: z.string(), keys: z.array(keyInfo) });

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const forbidden = { 403: { description: 'An API key can only register the first key for a provider' } };

/** Several keys of an account for one provider. */
export function providerKeyPoolRoutes({
  vault,
  directoryFor,
  healthOf,
}: ProviderKeyPoolParts): readonly ApiRoute[] {
  const tag = 'Provider keys';
  const describe = async (key: StoredProviderKey, provider: Provider, secret: Secret | undefined) => ({
    id: key.id,
    name: key.name,
    weight: key.weight,
    hint: key.hint,
    ...(secret === undefined ? unreadable : describeHealth(await healthOf(provider, secret))),
    updatedAt: timestamp(key.updatedAtMs),
  });
  return [
    defineRoute({
      method: 'POST',
      audit: 'provider_key.stored',
      path: '/v1/byok/:provider/keys',
      summary: 'Add a key for a provider',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: jsonBody({
        key: providerKeyText,
        name: textSchema({ max: limits.keyNameCharactersMax }).optional(),
        weight: z.int().min(1).max(limits.providerKeyWeightMax).optional().describe('1 if it is left out'),
      }),
      responses: {
        201: { description: 'The key is stored', schema: keyInfo },
        400: {
          description: "The body is invalid, or the key looks like another provider's, or is stored already",
        },
        409: { description: `${accountsLimits.keysOfProviderMax} keys are stored for the provider` },
        ...unauthenticated,
        ...forbidden,
        404: { description: 'Unknown provider' },
      },
      async handle({ caller, body, parameters }) {
        const directory = await directoryFor(caller.accountId);
        const provider = directory.provider(parameters.provider ?? '');
        checkMayUse(caller, provider);
        const { text, displayedPart } = checkProviderKey(body.key, provider, directory);
        const owner = { accountId: caller.accountId, provider: keySlotOf(provider) };
        const secret = new Secret(text);
        const { name, weight } = body;
        const options = { hintSource: displayedPart, shown: credentialOf(caller), name, weight };
        const key =
          caller.kind === 'key'
            ? await vault.putIfAbsent(owner, secret, options)
            : await vault.add(owner, secret, options);
        if (key === undefined) throw apiKeyNotAllowedError('add');
        return {
          status: 201,
          body: await describe(key, provider, secret),
          audit: { provider: provider.name, providerKey: key.id },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/byok/:provider/keys',
      summary: 'List the stored keys for a provider, with their states',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: noBody,
      responses: {
        200: { description: 'The keys, the first one first', schema: poolInfo },
        ...unauthenticated,
        404: { description: 'Unknown provider' },
      },
      async handle({ caller: { accountId }, parameters }) {
        const provider = (await directoryFor(accountId)).provider(parameters.provider ?? '');
        const keys = await vault.keysOf({ accountId, provider: keySlotOf(provider) });
        return {
          body: {
            provider: provider.name,
            keys: await Promise.all(keys.map((key) => describe(key, provider, key.secret))),
          },
        };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'provider_key.deleted',
      path: '/v1/byok/:provider/keys/:id',
      summary: 'Delete one key for a provider',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: noBody,
      responses: {
        204: { description: 'The key is deleted' },
        ...unauthenticated,
        ...forbidden,
        404: { description: 'Unknown provider, or it has no stored key with this id' },
      },
      async handle({ caller, parameters: { provider = '', id = '' } }) {
        const slot = checkMayDelete(caller, provider, await directoryFor(caller.accountId));
        if (!(await vault.deleteOne({ accountId: caller.accountId, provider: slot }, id)))
          throw new GatewayError(
            'not_found',
            `no key with this id is stored; GET /v1/byok/${provider}/keys lists the keys`,
          );
        return { status: 204, audit: { provider, providerKey: id } };
      },
    }),
  ];
}

const unreadable = { state: 'unreadable', until: null, models: [] } as const;

function describeHealth({ isRejected, models }: CredentialHealth) {
  const rejected = models.filter((one) => one.isRejected);
  if (isRejected || rejected.length > 0)
    return { state: 'rejected', until: null, models: isRejected ? [] : namesOf(rejected) };
  if (models.length === 0) return { state: 'ok', until: null, models: [] };
  const untilMs = Math.max(...models.map(({ restsUntilMs = 0 }) => restsUntilMs));
  return { state: 'resting', until: timestamp(untilMs), models: namesOf(models) };
}

function namesOf(models: CredentialHealth['models']): readonly string[] {
  return models.map(({ model }) => model).toSorted();
}
