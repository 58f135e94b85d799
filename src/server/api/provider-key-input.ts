import { z } from 'zod';
import { notAllowedError } from '../../calls/target-rules.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { keySlotOf, type Provider } from '../../kernel/provider.ts';
import type { CheckedKey } from '../../kernel/signing.ts';
import type { CallerDirectory } from '../../providers/own/own-directory.ts';
import { isKeyOfAnotherProvider } from '../../providers/provider-directory.ts';
import { limits } from '../limits.ts';
import type { AccountCaller } from './access.ts';

/** A provider key in the body of a request. */
export const providerKeyText = z
  .string('must be a string')
  .trim()
  .describe("The provider's key, for some providers a JSON text; it is never returned");

/** The key as it is stored; rejects one that can't be the provider's. */
export function checkProviderKey(key: string, provider: Provider, directory: CallerDirectory): CheckedKey {
  const checked = checkForm(key, provider);
  if (!isKeyOfAnotherProvider(checked.text, provider, directory.providers.values())) return checked;
  throw new GatewayError(
    'provider_key_mismatch',
    `the key does not look like a ${provider.title} key; it was not stored`,
    { param: 'key' },
  );
}

/** Keys without their own form are sent unchanged in a header, so they must be printable. */
function checkForm(key: string, provider: Provider): CheckedKey {
  if (provider.keyForm !== undefined) return provider.keyForm.check(key, provider);
  if (printableKey.test(key)) return { text: key, displayedPart: key };
  const max = limits.providerKeyCharactersMax;
  throw new GatewayError('invalid_request', `key: must have 1 to ${max} printable ASCII characters`, {
    param: 'key',
  });
}

const printableKey = new RegExp(`^[!-~]{1,${limits.providerKeyCharactersMax}}$`);

/** Rejects an API key whose access rules leave the provider out. */
export function checkMayUse(caller: AccountCaller, { name }: Provider): void {
  if (caller.kind === 'key' && caller.access?.allowsProvider(name) === false)
    throw notAllowedError('provider', name);
}

/** Where the keys are stored that the caller wants to delete; their provider may have been disabled since then. */
export function checkMayDelete(caller: AccountCaller, provider: string, directory: CallerDirectory): string {
  if (caller.kind === 'key') throw apiKeyNotAllowedError('delete');
  return directory.isDisabled(provider) ? provider : keySlotOf(directory.provider(provider));
}

/** Someone with a leaked API key must not be able to replace the owner's provider keys. */
export function apiKeyNotAllowedError(action: 'replace' | 'add' | 'delete'): GatewayError {
  return new GatewayError(
    'provider_key_exists',
    `an API key can only register the first key for a provider, not ${action} one; use a session token`,
  );
}
