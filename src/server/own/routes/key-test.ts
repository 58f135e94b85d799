import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { ProviderVault } from '../../../accounts/provider-keys.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Attempts, Versions } from '../../../kernel/ports/shared-state.ts';
import type { Provider } from '../../../kernel/provider.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Directory } from '../../../providers/directory.ts';
import type { TestedKey } from '../../../providers/key-test.ts';
import { bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { jsonBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';

export interface KeyTestParts {
  readonly vault: ProviderVault;
  readonly versions: Versions;
  readonly attempts: Attempts;
  readonly directory: Directory;
  test(provider: Provider, key: Secret): Promise<TestedKey>;
}

const result = z.strictObject({
  ok: z.boolean().describe('Whether the provider takes the key'),
  detail: z.string().describe('What came of it, for people'),
});

/** Whether a stored key works, asked of its provider. */
export function keyTestRoute({ vault, versions, attempts, directory, test }: KeyTestParts): OwnRoute {
  return checkedRoute({
    method: 'POST',
    path: '/v1/byok/:provider/test',
    summary: 'Try the stored key with a call that costs nothing',
    tag: 'Provider keys',
    access: bySessionOrKey,
    body: jsonBody({}),
    answers: {
      200: { description: 'What came of it', schema: result },
      400: { description: 'There is something in the body' },
      401: { description: 'No credential that holds' },
      404: { description: 'There is no such provider, or no key stored for it' },
      429: { description: 'Too many tries' },
    },
    async handle({ caller: { accountId }, parameters }) {
      const provider = directory.provider(parameters.provider ?? '');
      const key = await vault.open(accountId, provider.name, await versions.of(accountId));
      if (key === undefined)
        throw new GatewayError(
          'not_found',
          `no key is stored for ${provider.name}; PUT /v1/byok/${provider.name} stores one`,
        );
      await countAttempt(attempts, `key-test:${accountId}`, limits.keyTestsPerAccount);
      return { body: await test(provider, key) };
    },
  });
}
