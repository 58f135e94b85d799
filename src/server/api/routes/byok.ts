import { z } from 'zod';
import type { ProviderKeyVault, StoredProviderKey } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { PresentedCredential } from '../../../kernel/ports/records.ts';
import type { Provider } from '../../../kernel/provider.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { CheckedKey } from '../../../kernel/signing.ts';
import { isKeyOfAnotherProvider, type ProviderDirectory } from '../../../providers/provider-directory.ts';
import type { AccountCaller } from '../access.ts';
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
    .describe("The provider's key, for some a JSON text; it is never returned"),
});

/** A key goes into a header as it is, unless it has a form of its own. */
function checkProviderKey(provider: Provider, key: string): CheckedKey {
  if (provider.keyForm !== undefined) return provider.keyForm.check(key, provider);
  if (printableKey.test(key)) return { text: key, displayedPart: key };
  const most = limits.providerKeyCharactersMax;
  throw new GatewayError('invalid_request', `key: must have 1 to ${most} printable ASCII characters`, {
    param: 'key',
  });
}

const printableKey = new RegExp(`^[!-~]{1,${limits.providerKeyCharactersMax}}$`);

const keyInfo = z.strictObject({
  provider: z.string(),
  configured: z.literal(true),
  hint: z.string().nullable().describe('The last 4 characters, null for short keys'),
  updatedAt: z.iso.datetime(),
});
const listInfo = z.strictObject({ providers: z.array(keyInfo) });

const unauthenticated = { 401: { description: 'No credential that holds' } };
const forbidden = { 403: { description: 'An API key can only register the first key for a provider' } };
const unknown = { 404: { description: 'There is no such provider' } };

/** The keys that an account has with providers: stored, never shown. */
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
        200: { description: 'It is stored', schema: keyInfo },
        400: { description: "The body is wrong, or the key has the shape of another provider's" },
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
            `the key is not one of ${provider.title}'s; it was not stored`,
            { param: 'key' },
          );
        const place = { accountId: caller.accountId, provider: provider.name };
        const secret = new Secret(text);
        const options = { hintSource: displayedPart, shown: credentialOf(caller) };
        const stored =
          caller.kind === 'key'
            ? await vault.putIfAbsent(place, secret, options)
            : await vault.put(place, secret, options);
        if (stored === undefined) throw apiKeyNotAllowedError('replace');
        return { body: describeProviderKey(stored) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/byok',
      summary: 'The providers that there is a stored key for',
      tag,
      access: bySessionOrKey,
      body: noBody,
      responses: { 200: { description: 'By provider', schema: listInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { providers: (await vault.list(caller.accountId)).map(describeProviderKey) },
      }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/byok/:provider',
      summary: 'Forget the key for a provider',
      tag,
      access: bySessionOrKey,
      body: noBody,
      responses: {
        204: { description: 'There is none any more' },
        ...unauthenticated,
        ...forbidden,
        ...unknown,
      },
      async handle({ caller, parameters: { provider = '' } }) {
        checkMayDelete(caller);
        // A key may have been stored before the provider was disabled.
        if (!providerDirectory.isDisabled(provider)) providerDirectory.provider(provider);
        await vault.delete({ accountId: caller.accountId, provider });
        return { status: 204 };
      },
    }),
  ];
}

function describeProviderKey({ provider, hint, updatedAtMs }: StoredProviderKey) {
  return { provider, configured: true, hint, updatedAt: timestamp(updatedAtMs) };
}

function credentialOf(caller: AccountCaller): PresentedCredential | undefined {
  if (caller.kind === 'local') return undefined;
  return { kind: caller.kind, id: caller.kind === 'key' ? caller.keyId : caller.tokenId };
}

function checkMayDelete(caller: AccountCaller): void {
  if (caller.kind === 'key') throw apiKeyNotAllowedError('delete');
}

/** Whoever finds an API key must not be able to put a key of their own in the owner's place. */
function apiKeyNotAllowedError(what: string): GatewayError {
  return new GatewayError(
    'provider_key_exists',
    `an API key can register the first key for a provider and not ${what} one; use a session token`,
  );
}
