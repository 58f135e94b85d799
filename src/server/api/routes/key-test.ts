import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import { type ProviderKeyVault, unreadableKeyError } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { keySlotOf, type Provider } from '../../../kernel/provider.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { KeyTestResult } from '../../../providers/key-test.ts';
import type { CallerDirectory } from '../../../providers/own/own-directory.ts';
import { limits } from '../../limits.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import { checkMayUse } from '../provider-key-input.ts';
import type { ApiRoute } from '../route.ts';

export interface KeyTestParts {
  readonly vault: ProviderKeyVault;
  readonly attempts: RateLimiter;
  /** The providers that the account knows. */
  directoryFor(accountId: string): Promise<CallerDirectory>;
  test(provider: Provider, key: Secret): Promise<KeyTestResult>;
  /** Called when the provider has accepted a key. */
  onAccepted(provider: Provider, key: Secret): void;
}

export const testResultSchema = z.strictObject({
  ok: z.boolean().describe('Whether the provider accepts the key'),
  detail: z.string().describe('The result in words'),
});

export function keyTestRoute({
  vault,
  attempts: rateLimiter,
  directoryFor,
  test,
  onAccepted,
}: KeyTestParts): ApiRoute {
  return defineRoute({
    method: 'POST',
    audit: 'none',
    path: '/v1/byok/:provider/test',
    summary: 'Test a stored key with a free request to the provider',
    tag: 'Provider keys',
    access: bySessionOrKey('provider-keys'),
    body: jsonBody({ id: z.string().optional().describe('The id of the key; without it, the first one') }),
    responses: {
      200: { description: 'The result of the test', schema: testResultSchema },
      400: { description: 'The body is invalid' },
      401: { description: 'Missing or invalid credential' },
      403: { description: 'The access rules of the API key leave the provider out' },
      404: { description: 'Unknown provider, or no such key is stored for it' },
      429: { description: 'Too many attempts' },
    },
    async handle({ caller, body: { id }, parameters }) {
      const { accountId } = caller;
      const provider = (await directoryFor(accountId)).provider(parameters.provider ?? '');
      checkMayUse(caller, provider);
      const keys = await vault.keysOf({ accountId, provider: keySlotOf(provider) });
      const key = id === undefined ? keys[0] : keys.find((one) => one.id === id);
      if (key === undefined)
        throw new GatewayError(
          'not_found',
          `no such key is stored for ${provider.name}; store one with PUT /v1/byok/${provider.name}`,
        );
      if (key.secret === undefined) throw unreadableKeyError(key);
      await countAttempt(rateLimiter, `key-test:${accountId}`, limits.keyTestsPerAccount);
      const result = await test(provider, key.secret);
      if (result.ok) onAccepted(provider, key.secret);
      return { body: result };
    },
  });
}
