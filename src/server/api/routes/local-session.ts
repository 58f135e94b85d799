import { z } from 'zod';
import { countAddressAttempt } from '../../../accounts/count-attempt.ts';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { Secret } from '../../../lib/secret.ts';
import { limits } from '../../limits.ts';
import { byAddress, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { textSchema } from '../text.ts';
import { checkQueryNames } from '../validation.ts';

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
  attempts: rateLimiter,
  cookies,
}: LocalSessionParts): readonly ApiRoute[] {
  const path = '/v1/local/session';
  const tag = 'Accounts';
  const anyone = byAddress(async () => undefined);
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
    defineRoute({
      method: 'POST',
      path,
      summary: 'Store the local token in a cookie',
      tag,
      access: byAddress((address) =>
        countAddressAttempt(rateLimiter, {
          address,
          counterName: (block) => `local:${block}`,
          ...accountsLimits.loginsPerAddress,
        }),
      ),
      body: jsonBody({ token: textSchema({ max: limits.localTokenCharactersMax }) }),
      responses: {
        204: {
          description: 'The cookie is set',
          headers: { 'set-cookie': '`weir_session`, or `__Host-weir_session` on https' },
        },
        400: { description: 'The body is invalid' },
        401: { description: 'The token is wrong' },
        429: { description: 'Too many attempts' },
      },
      failureEvent: 'login.failed',
      handle({ body: { token } }) {
        if (localToken === undefined) return { status: 204 };
        if (!localToken.equals(token))
          throw new GatewayError('wrong_login', 'wrong token; send the value of WEIR_LOCAL_TOKEN');
        return { status: 204, headers: cookies.set(token) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      summary: 'Remove the local token from this browser',
      tag,
      access: anyone,
      body: noBody,
      responses: { 204: { description: 'The cookie is removed' } },
      handle: () => ({ status: 204, headers: cookies.clear() }),
    }),
  ];
}
