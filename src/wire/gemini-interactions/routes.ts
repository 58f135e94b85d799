import type { RelayRoute } from '../../kernel/relay.ts';
import type { WireRoute } from '../../kernel/wire-format.ts';

/** Both versions of Google's API. */
export const interactionRoutes: readonly WireRoute[] = ['/v1beta/interactions', '/v1/interactions'].flatMap(
  (path) => [
    { path, summary: 'Gemini Interactions', purpose: 'answer' },
    storedRoute('GET', path, 'Get an interaction that Google stores'),
    storedRoute('DELETE', path, 'Delete an interaction that Google stores'),
    storedRoute('POST', path, 'Cancel an interaction that runs in the background at Google'),
  ],
);

function storedRoute(method: RelayRoute['method'], path: string, summary: string): RelayRoute {
  return {
    purpose: 'relay',
    endpoint: 'interactions',
    method,
    path: `${path}/*`,
    summary,
    body: 'none',
    defaultProvider: 'gemini',
    price: 'free',
  };
}
