import { z } from 'zod';
import type { ModuleCaches } from '../../../calls/module-caches.ts';
import { scopeOf } from '../../../kernel/caller.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

const query = {
  module: z.string().optional().describe('The name of a module that keeps answers; all of them unless said'),
};

/** What is cached of an account's answers. */
export function cacheRoutes(caches: Pick<ModuleCaches, 'clear' | 'names'>): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'DELETE',
      path: '/v1/cache',
      summary: 'Forgets the cached answers of an account',
      tag: 'Usage',
      access: bySessionOrKey,
      query,
      body: noBody,
      responses: {
        204: { description: 'Forgotten, on every replica' },
        400: { description: 'There is no such module, or it keeps no answers' },
        401: { description: 'No credential that holds' },
      },
      async handle({ caller, query: sent }) {
        const { module } = parseQuery(query, sent);
        if (module !== undefined && !caches.names.includes(module))
          throw new GatewayError(
            'invalid_request',
            `module: must be one that keeps answers: ${caches.names.join(', ')}`,
            { param: 'module' },
          );
        await caches.clear(scopeOfCaller(caller), module === undefined ? undefined : [module]);
        return { status: 204 };
      },
    }),
  ];
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
