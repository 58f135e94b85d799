import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { ProviderKeyVault } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter, Versions } from '../../../kernel/ports/shared-state.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { KeyTestResult } from '../../../providers/key-test.ts';
import type { ProviderDirectory } from '../../../providers/provider-directory.ts';
import { limits } from '../../limits.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

export interface KeyTestParts {
  readonly vault: ProviderKeyVault;
  readonly versions: Versions;
  readonly attempts: RateLimiter;
  readonly directory: ProviderDirectory;
  test(provider: Provider, key: Secret): Promise<KeyTestResult>;
}

const testResultSchema = z.strictObject({
  ok: z.boolean().describe('Whether the provider accepts the key'),
  detail: z.string().describe('The result in words'),
});

export function keyTestRoute({
  vault,
  versions,
  attempts: rateLimiter,
  directory: providerDirectory,
  test,
}: KeyTestParts): ApiRoute {
  return defineRoute({
    method: 'POST',
    path: '/v1/byok/:provider/test',
    summary: 'Test the stored key with a free request to the provider',
    tag: 'Provider keys',
    access: bySessionOrKey,
    body: jsonBody({}),
    responses: {
      200: { description: 'The result of the test', schema: testResultSchema },
      400: { description: 'The body is not empty' },
      401: { description: 'Missing or invalid credential' },
      404: { description: 'Unknown provider, or no key is stored for it' },
      429: { description: 'Too many attempts' },
    },
    async handle({ caller: { accountId }, parameters }) {
      const provider = providerDirectory.provider(parameters.provider ?? '');
      const key = await vault.open(accountId, provider.name, await versions.of(accountId));
      if (key === undefined)
        throw new GatewayError(
          'not_found',
          `no key is stored for ${provider.name}; store one with PUT /v1/byok/${provider.name}`,
        );
      await countAttempt(rateLimiter, `key-test:${accountId}`, limits.keyTestsPerAccount);
      return { body: await test(provider, key) };
    },
  });
}
