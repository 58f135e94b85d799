import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { Logouts } from '../../../accounts/sign-on/logouts.ts';
import { type refusals, SignOnFailure } from '../../../accounts/sign-on/sign-on-error.ts';
import type { FinishedSignOn, SingleSignOn } from '../../../accounts/sign-on/single-sign-on.ts';
import type { AuditRecord } from '../../../audit/facts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import { byAddress, defineRoute } from '../define-route.ts';
import { formBody, noBody } from '../json-body.ts';
import { LaxCookie } from '../lax-cookie.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { textSchema } from '../text.ts';
import { parseQuery } from '../validation.ts';

const startQuery = {
  organization: z.string().max(100).optional().describe('The id of the organization'),
  email: z
    .string()
    .max(accountsLimits.emailCharactersMax)
    .optional()
    .describe('Or your mail address, whose domain tells the organization'),
  return_to: z.string().max(1000).optional().describe('A path of this gateway to go on to; `/` by default'),
};
const answerQuery = {
  state: 'Of the request',
  code: 'To exchange for tokens',
  iss: 'The issuer',
  error: 'Why the provider refuses',
};

const redirect = { 303: { description: 'Go on there', headers: { location: 'The address' } } };

export interface SignOnRouteParts {
  readonly signOn: SingleSignOn;
  readonly logouts: Logouts;
  readonly cookies: SessionCookies;
  readonly address: { readonly url: string };
  record(entry: AuditRecord): Promise<void>;
}

/** Single sign-on of people, in their browsers, and logout by the identity provider. */
export function signOnRoutes(parts: SignOnRouteParts): readonly ApiRoute[] {
  const cookie = new LaxCookie({
    address: parts.address,
    name: 'weir_sign_on',
    lifeMs: accountsLimits.signOnLifeMs,
  });
  return [startRoute(parts, cookie), callbackRoute(parts, cookie), logoutRoute(parts)];
}

function startRoute({ signOn }: SignOnRouteParts, cookie: LaxCookie): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/sign-on/start',
    summary: 'Begin a single sign-on, in a browser',
    tag: 'Single sign-on',
    access: byAddress((address) => signOn.count(address)),
    query: startQuery,
    body: noBody,
    responses: {
      ...redirect,
      400: { description: 'A query parameter is invalid' },
      401: { description: 'The identity provider can’t be reached' },
      404: { description: 'There is no single sign-on for this organization or address' },
      429: { description: 'Too many attempts' },
    },
    async handle({ query, headers }) {
      const { organization, email, return_to: returnPath } = parseQuery(startQuery, query);
      // Another site must not log people in to an account of its choice: they begin on our page.
      if (isFromOtherSite(headers)) return goTo(signInPage({ organization, email }));
      try {
        const begun = await signOn.begin({ organization, email, returnPath });
        return goTo(begun.url, cookie.set(begun.cookie));
      } catch (error) {
        if (!wantsPage(headers)) throw error instanceof SignOnFailure ? error.error : error;
        const failure = error instanceof SignOnFailure ? error.refusal : 'unknown';
        return goTo(signInPage({ failure }));
      }
    },
  });
}

function callbackRoute(parts: SignOnRouteParts, cookie: LaxCookie): ApiRoute {
  const { signOn, cookies, record } = parts;
  return defineRoute({
    method: 'GET',
    path: '/v1/sign-on/:organization/callback',
    summary: 'Finish a single sign-on: the identity provider sends the browser here',
    tag: 'Single sign-on',
    access: byAddress((address) => signOn.count(address)),
    audit: 'sign_on.succeeded',
    query: answerQuery,
    hasForeignQuery: true,
    body: noBody,
    responses: {
      ...redirect,
      401: { description: 'The sign-on was refused; `detail` says why' },
      429: { description: 'Too many attempts' },
    },
    async handle({ query, headers, id, remoteAddress, parameters: { organization: accountId = '' } }) {
      const client = headerOf(headers, 'user-agent') ?? '';
      try {
        const sent = cookie.read(headers);
        const finished = await signOn.finish({ accountId, query, cookie: sent, client });
        await recordMembership(finished, record);
        const { login, returnPath } = finished;
        const response = goTo(signInPage({ to: returnPath }), [
          ...cookie.clear(),
          ...cookies.set(login.token),
        ]);
        return { ...response, audit: factsOf(finished) };
      } catch (error) {
        const failure = failureName(error);
        if (failure === undefined) throw error;
        const account = await signOn.knownAccount(accountId);
        // Anybody may call made-up addresses.
        if (account !== undefined)
          await record({
            ...{ event: 'sign_on.refused', account, reason: failure },
            ...{ id, address: remoteAddress, client },
          });
        if (!wantsPage(headers)) throw new SignOnFailure(failure).error;
        return { ...goTo(signInPage({ failure }), cookie.clear()), audit: 'none' };
      }
    },
  });
}

function logoutRoute({ logouts }: SignOnRouteParts): ApiRoute {
  return defineRoute({
    method: 'POST',
    path: '/v1/sign-on/:organization/logout',
    summary: 'End the sessions that a logout token of the identity provider names',
    tag: 'Single sign-on',
    access: byAddress((address) => logouts.count(address)),
    audit: 'sign_on.logged_out',
    body: formBody({ logout_token: textSchema({ min: 1, max: 20_000 }) }),
    responses: {
      200: { description: 'They are valid on no replica any more' },
      400: { description: 'The token is not valid' },
      429: { description: 'Too many logouts' },
    },
    async handle({ body, parameters: { organization: account = '' } }) {
      const sessions = await logouts.end(account, body.logout_token);
      return { headers: ['cache-control', 'no-store'], body: {}, audit: { account, sessions } };
    },
  });
}

function goTo(location: string, headers: HeaderList = []): ApiResponse {
  return { status: 303, headers: ['location', location, 'referrer-policy', 'no-referrer', ...headers] };
}

/** The dashboard's page, which goes on from there, or shows a text of its own for the failure. */
function signInPage(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/login#${new URLSearchParams(Object.fromEntries(given))}`;
}

/** Browsers tell where a navigation comes from; typed addresses and own pages are no other site. */
function isFromOtherSite(headers: HeaderList): boolean {
  const site = headerOf(headers, 'sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

function wantsPage(headers: HeaderList): boolean {
  return headerOf(headers, 'accept')?.includes('text/html') === true;
}

/** Undefined for what is no refusal of the sign-on. */
function failureName(error: unknown): keyof typeof refusals | undefined {
  if (error instanceof SignOnFailure) return error.refusal;
  return GatewayError.is(error) && error.status < 500 ? 'attempt' : undefined;
}

function factsOf({ login: { member }, person }: FinishedSignOn) {
  return { account: member.account.id, actor: `user:${member.identity.id}`, role: person.role };
}

/** What a sign-on changes beside the session. */
async function recordMembership(finished: FinishedSignOn, record: SignOnRouteParts['record']): Promise<void> {
  const { role, roleBefore, identityId } = finished.person;
  if (role === roleBefore) return;
  const common = { ...factsOf(finished), member: String(identityId) };
  await record(
    roleBefore === undefined
      ? { event: 'member.joined', ...common }
      : { event: 'member.role_changed', ...common, roleBefore },
  );
}
