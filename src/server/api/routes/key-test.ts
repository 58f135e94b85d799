import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { ProviderKeyVault } from '../../../accounts/provider-key-vault.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { RateLimiter, Versions } from '../../../kernel/ports/shared-state.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { KeyTestResult } from '../../../providers/key-test.ts';
import type { ProviderDirectory } from '../../../providers/provider-directory.ts';
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
  ok: z.boolean().describe('Whether the provider takes the key'),
  detail: z.string().describe('What came of it, for people'),
});

/** Whether a stored key works, asked of its provider. */
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
    summary: 'Try the stored key with a call that costs nothing',
    tag: 'Provider keys',
    access: bySessionOrKey,
    body: jsonBody({}),
    responses: {
      200: { description: 'What came of it', schema: testResultSchema },
      400: { description: 'There is something in the body' },
      401: { description: 'No credential that holds' },
      404: { description: 'There is no such provider, or no key stored for it' },
      429: { description: 'Too many tries' },
    },
    async handle({ caller: { accountId }, parameters }) {
      const provider = providerDirectory.provider(parameters.provider ?? '');
      const key = await vault.open(accountId, provider.name, await versions.of(accountId));
      if (key === undefined)
        throw new GatewayError(
          'not_found',
          `no key is stored for ${provider.name}; PUT /v1/byok/${provider.name} stores one`,
        );
      await countAttempt(rateLimiter, `key-test:${accountId}`, limits.keyTestsPerAccount);
      return { body: await test(provider, key) };
    },
  });
}
