import { z } from 'zod';
import type { ProviderKeyVault, StoredProviderKey } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { CheckedKey } from '../../../kernel/signing.ts';
import { Secret } from '../../../lib/secret.ts';
import { isKeyOfAnotherProvider, type ProviderDirectory } from '../../../providers/provider-directory.ts';
import { limits } from '../../limits.ts';
import { type AccountCaller, credentialOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

export interface ByokParts {
  readonly vault: ProviderKeyVault;
  readonly directory: ProviderDirectory;
}

const newKey = jsonBody({
  key: z
    .string('must be a string')
    .trim()
    .describe("The provider's key, for some providers a JSON text; it is never returned"),
});

/** Keys without their own form are sent unchanged in a header, so they must be printable. */
function checkProviderKey(provider: Provider, key: string): CheckedKey {
  if (provider.keyForm !== undefined) return provider.keyForm.check(key, provider);
  if (printableKey.test(key)) return { text: key, displayedPart: key };
  const max = limits.providerKeyCharactersMax;
  throw new GatewayError('invalid_request', `key: must have 1 to ${max} printable ASCII characters`, {
    param: 'key',
  });
}

const printableKey = new RegExp(`^[!-~]{1,${limits.providerKeyCharactersMax}}$`);

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
      summary: 'Store the key for a provider',
      tag,
      access: bySessionOrKey,
      body: newKey,
      responses: {
        200: { description: 'The key is stored', schema: keyInfo },
        400: { description: "The body is invalid, or the key looks like another provider's" },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, body, parameters }) {
        const provider = providerDirectory.provider(parameters.provider ?? '');
        const { text, displayedPart } = checkProviderKey(provider, body.key);
        if (isKeyOfAnotherProvider(text, provider, providerDirectory.providers.values()))
          throw new GatewayError(
            'provider_key_mismatch',
            `the key does not look like a ${provider.title} key; it was not stored`,
            { param: 'key' },
          );
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
        200: { description: 'The stored keys by provider', schema: listInfo },
        ...unauthenticated,
      },
      handle: async ({ caller }) => ({
        body: { providers: (await vault.list(caller.accountId)).map(describeProviderKey) },
      }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/byok/:provider',
      summary: 'Delete the key for a provider',
      tag,
      access: bySessionOrKey,
      body: noBody,
      responses: {
        204: { description: 'The key is deleted' },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, parameters: { provider = '' } }) {
        checkMayDelete(caller);
        // A key may have been stored before the provider was disabled.
        if (!providerDirectory.isDisabled(provider)) providerDirectory.provider(provider);
        await vault.delete({ accountId: caller.accountId, provider });
        return { status: 204, audit: { event: 'provider_key.deleted', provider } };
      },
    }),
  ];
}

function describeProviderKey({ provider, hint, updatedAtMs }: StoredProviderKey) {
  return { provider, configured: true, hint, updatedAt: timestamp(updatedAtMs) };
}

function checkMayDelete(caller: AccountCaller): void {
  if (caller.kind === 'key') throw apiKeyNotAllowedError('delete');
}

/** Someone with a leaked API key must not be able to replace the owner's provider keys. */
function apiKeyNotAllowedError(action: string): GatewayError {
  return new GatewayError(
    'provider_key_exists',
    `an API key can only register the first key for a provider, not ${action} one; use a session token`,
  );
}
