import { z } from 'zod';
import { countAddressAttempt } from '../../../accounts/count-attempt.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { Secret } from '../../../kernel/secret.ts';
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
  required: z.boolean().describe('Whether this gateway asks for its token'),
  open: z.boolean().describe('Whether the request may do what needs the token'),
});

/** How the dashboard of a local gateway shows the token of that gateway, once. */
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
      summary: 'Whether the local token is asked for, and was shown',
      tag,
      access: 'public',
      responses: {
        200: { description: 'How it stands', schema: localSessionSchema },
        400: { description: 'The query is wrong' },
      },
      async handle({ access, query, ...asked }) {
        checkQueryNames({}, query);
        const open = await access.sessionOrKey(asked).then(
          () => true,
          () => false,
        );
        return { body: { required: localToken !== undefined, open } };
      },
    },
    defineRoute({
      method: 'POST',
      path,
      summary: 'Keep the local token in a cookie',
      tag,
      access: byAddress((address) =>
        countAddressAttempt(rateLimiter, {
          address,
          counterName: (block) => `local:${block}`,
          ...limits.loginsPerAddress,
        }),
      ),
      body: jsonBody({ token: textSchema({ max: limits.localTokenCharactersMax }) }),
      responses: {
        204: {
          description: 'It is kept',
          headers: { 'set-cookie': '`weir_session`, or `__Host-weir_session` on https' },
        },
        400: { description: 'The body is wrong' },
        401: { description: 'It is another token' },
        429: { description: 'Too many tries' },
      },
      handle({ body: { token } }) {
        if (localToken === undefined) return { status: 204 };
        if (!localToken.equals(token)) throw new GatewayError('wrong_login', 'that is not the token');
        return { status: 204, headers: cookies.set(token) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      summary: 'Forget the local token in this browser',
      tag,
      access: anyone,
      body: noBody,
      responses: { 204: { description: 'The cookie is gone' } },
      handle: () => ({ status: 204, headers: cookies.clear() }),
    }),
  ];
}
