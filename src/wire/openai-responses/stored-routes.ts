import type { RelayRoute } from '../../kernel/relay.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'responses',
  body: 'none',
  defaultProvider: 'openai',
  price: 'free',
} as const;

/** Routes of stored responses. Those that the gateway doesn't store are the provider's. */
export const storedResponseRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    method: 'GET',
    path: '/v1/responses/*/input_items',
    summary: 'The input of a stored response',
    storedAnswer: 'listInput',
  },
  {
    ...shared,
    method: 'POST',
    path: '/v1/responses/*/cancel',
    summary: 'Cancel a response in the background',
    storedAnswer: 'cancel',
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/responses/*',
    summary: 'A stored response',
    storedAnswer: 'retrieve',
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/v1/responses/*',
    summary: 'Delete a stored response',
    storedAnswer: 'delete',
  },
];
