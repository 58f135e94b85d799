import { z } from 'zod';
import type { AuditRecord } from '../../../audit/facts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { McpCaller } from '../../../kernel/ports/mcp.ts';
import type { HeaderList } from '../../../lib/headers.ts';
import { AuthorizationFailure, type FailureName } from '../../../mcp/authorization/authorization-failure.ts';
import type {
  Authorizations,
  AuthorizingPerson,
  Consent,
} from '../../../mcp/authorization/authorizations.ts';
import {
  consentPagePolicy,
  renderConsentPage,
  renderFailurePage,
  renderFinishedPage,
  renderForwardPage,
  renderLogInPage,
} from '../../../mcp/authorization/consent-page.ts';
import { limits } from '../../../mcp/authorization/limits.ts';
import type { AccountCaller } from '../access.ts';
import { type AccessRule, byAddress, defineRoute, describeCaller } from '../define-route.ts';
import { formBody, noBody } from '../json-body.ts';
import { LaxCookie } from '../lax-cookie.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { personOf } from './mcp-person.ts';

export interface McpConsentParts {
  readonly authorizations: Authorizations;
  readonly address: { readonly url: string };
  /** The rights of a person as of now. */
  callerOf(person: Pick<AuthorizingPerson, 'accountId' | 'personId'>): Promise<McpCaller>;
  /** The mail address of a person; undefined in local mode. */
  nameOf(person: Pick<AuthorizingPerson, 'accountId' | 'personId'>): Promise<string | undefined>;
  record(entry: AuditRecord): Promise<void>;
}

const pageQuery = {
  account: z.string().max(100).optional().describe('The account that the link is for'),
  person: z.string().max(100).optional().describe('The person that the link is for'),
  return_to: z.string().max(500).optional().describe('A path of this gateway to go on to afterwards'),
};
const page = { description: 'An HTML page', contentType: 'text/html' };
const path = '/mcp/authorize/:name';
const tag = 'MCP';

/** The pages of people who authorize the gateway at an MCP server: consent, and what the issuer answers. */
export function mcpConsentRoutes(parts: McpConsentParts): readonly ApiRoute[] {
  const cookie = new LaxCookie({
    address: parts.address,
    name: 'weir_mcp',
    lifeMs: limits.attemptLifeMs,
  });
  return [consentRoute(parts), confirmationRoute(parts, cookie), callbackRoute(parts, cookie)];
}

function consentRoute({ authorizations, callerOf, nameOf }: McpConsentParts): ApiRoute {
  return defineRoute({
    tag,
    method: 'GET',
    path,
    summary: 'The page that asks whether the gateway may act for you at an MCP server',
    access: inBrowser,
    query: pageQuery,
    body: noBody,
    responses: { 200: page, 400: { ...page, description: 'Why this is not possible' }, 401: page },
    async handle({ caller, query, parameters: { name = '' } }) {
      const { account, person: forPerson, return_to: returnPath } = parseQuery(pageQuery, query);
      const person = caller && personOf(caller);
      if (person === undefined) return html(renderLogInPage(), { status: 401 });
      const isFor = (account ?? person.accountId) === person.accountId;
      if (!isFor || (forPerson ?? person.personId) !== person.personId) return failurePage('other_person');
      try {
        const authorizing = { ...person, caller: await callerOf(person) };
        const question = await authorizations.ask(authorizing, name, returnPath);
        return html(renderConsentPage({ ...question, person: await nameOf(person) }));
      } catch (error) {
        return failurePage(reasonOf(error));
      }
    },
  });
}

function confirmationRoute({ authorizations, callerOf }: McpConsentParts, cookie: LaxCookie): ApiRoute {
  return defineRoute({
    tag,
    method: 'POST',
    audit: 'mcp_authorization.begun',
    path,
    summary: 'Confirm, and go on to the issuer',
    access: inBrowser,
    body: formBody({ ticket: z.string().max(20_000) }),
    responses: {
      200: page,
      400: { ...page, description: 'Why this is not possible' },
      401: page,
      415: { description: 'The body is not a form' },
    },
    async handle({ caller, body }) {
      const person = caller && personOf(caller);
      if (person === undefined) return { ...html(renderLogInPage(), { status: 401 }), audit: 'none' };
      try {
        const authorizing = { ...person, caller: await callerOf(person) };
        const { url, cookie: value, consent } = await authorizations.begin(authorizing, body.ticket);
        return {
          ...html(renderForwardPage(url), { headers: cookie.set(value) }),
          audit: factsOf(consent),
        };
      } catch (error) {
        return { ...failurePage(reasonOf(error)), audit: 'none' };
      }
    },
  });
}

function callbackRoute({ authorizations, callerOf, record }: McpConsentParts, cookie: LaxCookie): ApiRoute {
  return defineRoute({
    tag,
    method: 'GET',
    path: '/v1/mcp/callback/:issuer',
    summary: 'The issuer of an MCP server sends the browser here',
    access: byAddress((address) => authorizations.countCallback(address)),
    audit: 'mcp_authorization.granted',
    query: {
      state: 'Of the request',
      code: 'To exchange for tokens',
      iss: 'The issuer',
      error: 'Why the issuer refuses',
    },
    hasForeignQuery: true,
    body: noBody,
    responses: {
      200: page,
      303: { description: 'Go on there', headers: { location: 'The address' } },
      400: { ...page, description: 'Why it was refused' },
      429: { description: 'Too many attempts' },
    },
    async handle({ query, headers, parameters: { issuer: tag = '' } }) {
      const sent = cookie.read(headers);
      try {
        const consent = await authorizations.finish({ tag, query, cookie: sent, callerOf });
        const { returnPath, server } = consent;
        const audit = { ...factsOf(consent), account: consent.accountId, actor: actorOf(consent) };
        if (returnPath === '/')
          return { ...html(renderFinishedPage(server), { headers: cookie.clear() }), audit };
        const location = ['location', returnPath, 'referrer-policy', 'no-referrer', ...cookie.clear()];
        return { status: 303, headers: location, audit };
      } catch (error) {
        const reason = reasonOf(error);
        const account = authorizations.accountOf(sent);
        // Anybody may call made-up addresses.
        if (account !== undefined) await record({ event: 'mcp_authorization.refused', account, reason });
        return { ...failurePage(reason, cookie.clear()), audit: 'none' };
      }
    },
  });
}

/** Whoever has opened the page in a browser; undefined if nobody is logged in there, or another site has sent them. */
const inBrowser: AccessRule<AccountCaller | undefined> = {
  name: 'public',
  check: ({ access, ...request }) =>
    access.sessionOrKey(request).catch((error: unknown) => {
      if (GatewayError.is(error) && error.status < 500) return undefined;
      throw error;
    }),
  describe: (caller) => (caller === undefined ? {} : describeCaller(caller)),
};

function reasonOf(error: unknown): FailureName {
  if (error instanceof AuthorizationFailure) return error.reason;
  throw error;
}

function failurePage(reason: FailureName, headers: HeaderList = []): ApiResponse {
  return html(renderFailurePage(reason), { status: 400, headers });
}

function html(
  body: string,
  { status = 200, headers = [] }: { readonly status?: number; readonly headers?: HeaderList } = {},
): ApiResponse {
  return {
    status,
    headers: [
      ...['cache-control', 'no-store', 'content-security-policy', consentPagePolicy],
      ...['referrer-policy', 'no-referrer', 'x-frame-options', 'DENY', ...headers],
    ],
    contentType: 'text/html; charset=utf-8',
    body,
  };
}

function factsOf({ server, issuer }: Consent) {
  return { mcpServer: server, issuer };
}

function actorOf({ personId, accountId }: Consent): string {
  return personId === accountId && personId === 'local' ? 'local' : `user:${personId}`;
}
