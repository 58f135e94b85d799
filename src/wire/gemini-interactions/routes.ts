import type { RelayRoute } from '../../kernel/relay.ts';
import type { WireRoute } from '../../kernel/wire-format.ts';
import { encodeStored } from './stored-interaction.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'interactions',
  body: 'none',
  defaultProvider: 'gemini',
  price: 'free',
  encodeStored,
} as const satisfies Partial<RelayRoute>;

/** Both versions of Google's API. Interactions that the gateway doesn't store are Google's. */
export const interactionRoutes: readonly WireRoute[] = ['/v1beta/interactions', '/v1/interactions'].flatMap(
  (path): readonly WireRoute[] => [
    { path, summary: 'Gemini Interactions', purpose: 'answer' },
    {
      ...shared,
      method: 'POST',
      path: `${path}/*/cancel`,
      summary: 'Cancel an interaction in the background',
      storedAnswer: 'cancel',
    },
    {
      ...shared,
      method: 'GET',
      path: `${path}/*`,
      summary: 'A stored interaction',
      storedAnswer: 'retrieve',
    },
    {
      ...shared,
      method: 'DELETE',
      path: `${path}/*`,
      summary: 'Delete a stored interaction',
      storedAnswer: 'delete',
    },
  ],
);
