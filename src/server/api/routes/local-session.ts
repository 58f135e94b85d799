import { z } from 'zod';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { checkQueryNames } from '../validation.ts';
import { tokenCookieRoutes } from './token-cookie.ts';

export interface LocalSessionParts {
  readonly localToken: Secret | undefined;
  readonly attempts: RateLimiter;
  readonly cookies: SessionCookies;
}

const localSessionSchema = z.strictObject({
  required: z.boolean().describe('Whether this gateway requires its local token'),
  open: z.boolean().describe('Whether this request is authorized'),
});

/** Exchanges the local token for a cookie, for the dashboard. */
export function localSessionRoutes({
  localToken,
  attempts,
  cookies,
}: LocalSessionParts): readonly ApiRoute[] {
  const path = '/v1/local/session';
  const tag = 'Accounts';
  return [
    {
      kind: 'own',
      method: 'GET',
      path,
      summary: 'Get whether the local token is required and was sent',
      tag,
      access: 'public',
      responses: {
        200: { description: 'The current state', schema: localSessionSchema },
        400: { description: 'A query parameter is invalid' },
      },
      async handle({ access, query, ...request }) {
        checkQueryNames({}, query);
        const open = await access.sessionOrKey(request).then(
          () => true,
          () => false,
        );
        return { body: { required: localToken !== undefined, open } };
      },
    },
    ...tokenCookieRoutes({
      ...{ path, tag, owner: 'local', setting: 'WEIR_LOCAL_TOKEN' },
      cookieName: '`weir_session`, or `__Host-weir_session` on https',
      open(token) {
        if (localToken === undefined) return [];
        return localToken.equals(token) ? cookies.set(token) : undefined;
      },
      cookies,
      attempts,
    }),
  ];
}
