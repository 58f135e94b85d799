import { escapeHtml, htmlPage, htmlPagePolicy } from '../../lib/html.ts';
import type { FailureName } from './authorization-failure.ts';
import { failures } from './authorization-failure.ts';
import type { Consent } from './authorizations.ts';

/** The policy of all these pages: no script, and forms to the gateway alone. */
export const consentPagePolicy = htmlPagePolicy({ takesForms: true });

interface ConsentPage {
  readonly consent: Consent;
  readonly ticket: string;
  /** The address of the person; undefined in local mode. */
  readonly person: string | undefined;
}

/** Asks a person before they are sent to the issuer. All names come from others, and are texts. */
export function renderConsentPage({ consent, ticket, person }: ConsentPage): string {
  const { server, serverUrl, issuer, scopes } = consent;
  const facts: readonly (readonly [string, string])[] = [
    ['MCP server', server],
    ['Address', serverUrl],
    ['Authorization server', issuer],
    ['Person', person ?? 'the user of this gateway'],
    ['Scopes', scopes.length === 0 ? 'those that the authorization server chooses' : scopes.join(' ')],
  ];
  const isForeign = !areOfOneSite(serverUrl, issuer);
  return page(
    `Authorize ${server}`,
    `<h1>May this gateway act for you at ${escapeHtml(server)}?</h1>
<p>The authorization server will ask you to log in and to agree. The gateway keeps the tokens sealed, sends them to this address only, and uses them
when you, or an API key that acts for you, call tools of this server.</p>
<dl>${facts.map(([name, value]) => `<dt><strong>${name}</strong></dt><dd><code>${escapeHtml(value)}</code></dd>`).join('')}</dl>
${isForeign ? '<p role="alert"><strong>The server and the authorization server are at different sites.</strong> What the authorization server gives to the gateway goes to the address of the server. Go on only if you trust it with that.</p>' : ''}
<form method="post" action="${escapeHtml(`/mcp/authorize/${encodeURIComponent(server)}`)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<button type="submit">Go on to ${escapeHtml(hostOf(issuer))}</button>
</form>
<p class="quiet">If you did not ask for this, close the window.</p>`,
  );
}

/** Goes on to the issuer: a redirect after a form would need the policy to allow all its addresses. */
export function renderForwardPage(url: string): string {
  const address = escapeHtml(url);
  return page(
    'Going on',
    `<meta http-equiv="refresh" content="0;url=${address}">
<h1>Going on</h1><p><a href="${address}" rel="noreferrer">Go on to ${escapeHtml(hostOf(url))}</a></p>`,
  );
}

export function renderFinishedPage(server: string): string {
  return page(
    'Authorized',
    `<h1>The gateway may act for you at ${escapeHtml(server)}</h1><p>You can close this window and call again.</p>`,
  );
}

export function renderFailurePage(reason: FailureName): string {
  return page(
    'Not authorized',
    `<h1>The gateway was not authorized</h1><p role="alert">${escapeHtml(failures[reason])} (<code>${reason}</code>)</p>`,
  );
}

/** Also for people who come from another site: their browsers send the session with the next click only. */
export function renderLogInPage(): string {
  return page(
    'Log in',
    `<h1>Log in first</h1><p><a href="/login" target="_blank" rel="noreferrer">Log in to this gateway</a>, then <a href="">go on</a>.</p>`,
  );
}

function page(title: string, body: string): string {
  return htmlPage({ title, home: '/', body });
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Whether one of the hosts is the other, or a part of its domain. */
function areOfOneSite(one: string, other: string): boolean {
  const [first = '', second = ''] = [one, other].map((url) => URL.parse(url)?.hostname);
  return first === second || first.endsWith(`.${second}`) || second.endsWith(`.${first}`);
}
