import { z } from 'zod';
import type { ProviderKeyVault, StoredProviderKey } from '../../../accounts/provider-key-vault.ts';
import { keySlotOf, type Provider } from '../../../kernel/provider.ts';
import { Secret } from '../../../lib/secret.ts';
import type { CallerDirectory } from '../../../providers/own/own-directory.ts';
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
import { timestamp } from '../text.ts';

export interface ByokParts {
  readonly vault: ProviderKeyVault;
  /** The providers that the account knows. */
  directoryFor(accountId: string): Promise<CallerDirectory>;
}

const keyInfo = z.strictObject({
  provider: z.string(),
  configured: z.literal(true),
  hint: z.string().nullable().describe('The last 4 characters; null for short keys'),
  updatedAt: z.iso.datetime(),
});
const listInfo = z.strictObject({ providers: z.array(keyInfo) });

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const forbidden = { 403: { description: 'An API key can only register the first key for a provider' } };
const unknown = { 404: { description: 'Unknown provider' } };

/** An account's provider keys: stored, never returned. */
export function byokRoutes({ vault, directoryFor }: ByokParts): readonly ApiRoute[] {
  const tag = 'Provider keys';
  return [
    defineRoute({
      method: 'PUT',
      audit: 'provider_key.stored',
      path: '/v1/byok/:provider',
      summary: 'Store the first key for a provider, or replace it',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: jsonBody({ key: providerKeyText }),
      responses: {
        200: { description: 'The key is stored', schema: keyInfo },
        400: { description: "The body is invalid, or the key looks like another provider's" },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, body, parameters }) {
        const directory = await directoryFor(caller.accountId);
        const provider = directory.provider(parameters.provider ?? '');
        checkMayUse(caller, provider);
        const { text, displayedPart } = checkProviderKey(body.key, provider, directory);
        const slot = { accountId: caller.accountId, provider: keySlotOf(provider) };
        const secret = new Secret(text);
        const options = { hintSource: displayedPart, shown: credentialOf(caller) };
        const stored =
          caller.kind === 'key'
            ? await vault.putIfAbsent(slot, secret, options)
            : await vault.put(slot, secret, options);
        if (stored === undefined) throw apiKeyNotAllowedError('replace');
        return {
          body: describeProviderKey({ ...stored, provider: provider.name }),
          audit: { provider: provider.name },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/byok',
      summary: 'List the providers with a stored key',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: noBody,
      responses: {
        200: { description: 'The first stored key of each provider', schema: listInfo },
        ...unauthenticated,
      },
      async handle({ caller: { accountId } }) {
        const { own } = await directoryFor(accountId);
        const keys = (await vault.list(accountId)).flatMap((key) => withOwnName(key, own));
        return { body: { providers: keys.map(describeProviderKey) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'provider_key.deleted',
      path: '/v1/byok/:provider',
      summary: 'Delete all keys for a provider',
      tag,
      access: bySessionOrKey('provider-keys'),
      body: noBody,
      responses: {
        204: { description: 'The keys are deleted' },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, parameters: { provider = '' } }) {
        const slot = checkMayDelete(caller, provider, await directoryFor(caller.accountId));
        await vault.delete({ accountId: caller.accountId, provider: slot });
        return { status: 204, audit: { provider } };
      },
    }),
  ];
}

/** Keys for providers of the account are stored with their address, and count only while they have it. */
function withOwnName(key: StoredProviderKey, own: readonly Provider[]): readonly StoredProviderKey[] {
  if (!key.provider.includes('@')) return [key];
  const provider = own.find((one) => keySlotOf(one) === key.provider);
  return provider === undefined ? [] : [{ ...key, provider: provider.name }];
}

function describeProviderKey({ provider, hint, updatedAtMs }: StoredProviderKey) {
  return { provider, configured: true, hint, updatedAt: timestamp(updatedAtMs) };
}
