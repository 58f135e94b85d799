import { countAddressAttempt } from '../../../accounts/count-attempt.ts';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import { localAccountId } from '../../../calls/local-setting.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { HeaderList } from '../../../lib/headers.ts';
import { limits } from '../../limits.ts';
import { byAddress, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { textSchema } from '../text.ts';

interface TokenCookieParts {
  readonly path: string;
  readonly tag: string;
  /** Whose token it is. */
  readonly owner: 'local' | 'operator';
  /** The environment variable with the token. */
  readonly setting: string;
  readonly cookieName: string;
  /** The headers of the response; undefined if the token is wrong. */
  open(token: string): HeaderList | undefined;
  readonly cookies: SessionCookies;
  readonly attempts: RateLimiter;
}

/** Exchanges a token from the environment for a cookie, and removes the cookie. */
export function tokenCookieRoutes(parts: TokenCookieParts): readonly ApiRoute[] {
  const { path, tag, owner, setting, cookieName, open, cookies, attempts } = parts;
  return [
    defineRoute({
      method: 'POST',
      audit: 'login.succeeded',
      path,
      summary: `Store the ${owner} token in a cookie`,
      tag,
      access: byAddress((address) =>
        countAddressAttempt(attempts, {
          address,
          counterName: (block) => `${owner}:${block}`,
          ...accountsLimits.loginsPerAddress,
        }),
      ),
      body: jsonBody({ token: textSchema({ max: limits.localTokenCharactersMax }) }),
      responses: {
        204: { description: 'The cookie is set', headers: { 'set-cookie': cookieName } },
        400: { description: 'The body is invalid' },
        401: { description: 'The token is wrong' },
        429: { description: 'Too many attempts' },
      },
      failureEvent: 'login.failed',
      handle({ body: { token } }) {
        const headers = open(token);
        if (headers === undefined)
          throw new GatewayError('wrong_login', `wrong token; send the value of ${setting}`);
        const audit = owner === 'local' ? { account: localAccountId, actor: owner } : { actor: owner };
        return { status: 204, headers, audit };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'none',
      path,
      summary: `Remove the ${owner} token from this browser`,
      tag,
      access: byAddress(async () => undefined),
      body: noBody,
      responses: { 204: { description: 'The cookie is removed' } },
      handle: () => ({ status: 204, headers: cookies.clear() }),
    }),
  ];
}
