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
  module: z.string().optional().describe('The name of a caching module; all of them by default'),
};

export function cacheRoutes(caches: Pick<ModuleCaches, 'clear' | 'names'>): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'DELETE',
      audit: 'cache.cleared',
      path: '/v1/cache',
      summary: 'Delete the cached answers of an account',
      tag: 'Usage',
      access: bySessionOrKey('content'),
      query,
      body: noBody,
      responses: {
        204: { description: 'Deleted on every replica' },
        400: { description: 'The module is unknown or does not cache answers' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller, query: sent }) {
        const { module } = parseQuery(query, sent);
        if (module !== undefined && !caches.names.includes(module))
          throw new GatewayError(
            'invalid_request',
            `module: must be one of the caching modules: ${caches.names.join(', ')}`,
            { param: 'module' },
          );
        await caches.clear(scopeOfCaller(caller), module === undefined ? undefined : [module]);
        return { status: 204, audit: { module } };
      },
    }),
  ];
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
