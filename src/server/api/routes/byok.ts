import { z } from 'zod';
import type { ProviderKeyVault, StoredProviderKey } from '../../../accounts/provider-key-vault.ts';
import { Secret } from '../../../lib/secret.ts';
import type { ProviderDirectory } from '../../../providers/provider-directory.ts';
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
  readonly directory: ProviderDirectory;
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
export function byokRoutes({ vault, directory: providerDirectory }: ByokParts): readonly ApiRoute[] {
  const tag = 'Provider keys';
  return [
    defineRoute({
      method: 'PUT',
      path: '/v1/byok/:provider',
      summary: 'Store the first key for a provider, or replace it',
      tag,
      access: bySessionOrKey,
      body: jsonBody({ key: providerKeyText }),
      responses: {
        200: { description: 'The key is stored', schema: keyInfo },
        400: { description: "The body is invalid, or the key looks like another provider's" },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, body, parameters }) {
        const provider = providerDirectory.provider(parameters.provider ?? '');
        checkMayUse(caller, provider);
        const { text, displayedPart } = checkProviderKey(body.key, provider, providerDirectory);
        const slot = { accountId: caller.accountId, provider: provider.name };
        const secret = new Secret(text);
        const options = { hintSource: displayedPart, shown: credentialOf(caller) };
        const stored =
          caller.kind === 'key'
            ? await vault.putIfAbsent(slot, secret, options)
            : await vault.put(slot, secret, options);
        if (stored === undefined) throw apiKeyNotAllowedError('replace');
        const audit = { event: 'provider_key.stored', provider: provider.name } as const;
        return { body: describeProviderKey(stored), audit };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/byok',
      summary: 'List the providers with a stored key',
      tag,
      access: bySessionOrKey,
      body: noBody,
      responses: {
        200: { description: 'The first stored key of each provider', schema: listInfo },
        ...unauthenticated,
      },
      handle: async ({ caller }) => ({
        body: { providers: (await vault.list(caller.accountId)).map(describeProviderKey) },
      }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/byok/:provider',
      summary: 'Delete all keys for a provider',
      tag,
      access: bySessionOrKey,
      body: noBody,
      responses: {
        204: { description: 'The keys are deleted' },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, parameters: { provider = '' } }) {
        checkMayDelete(caller, provider, providerDirectory);
        await vault.delete({ accountId: caller.accountId, provider });
        return { status: 204, audit: { event: 'provider_key.deleted', provider } };
      },
    }),
  ];
}

function describeProviderKey({ provider, hint, updatedAtMs }: StoredProviderKey) {
  return { provider, configured: true, hint, updatedAt: timestamp(updatedAtMs) };
}
