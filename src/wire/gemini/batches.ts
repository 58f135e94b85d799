import type { RelayRoute } from '../../kernel/relay.ts';
import { forwardedQuery } from './path.ts';
import { geminiBatches } from './stored-object-lists.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'gemini-batches',
  body: 'none',
  defaultProvider: 'gemini',
  price: 'free',
  // A mask of fields could leave out the usage of results.
  queryFor: forwardedQuery,
} as const;

export const geminiBatchRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    endpoint: 'gemini-batch-models',
    method: 'POST',
    path: '/v1beta/models/*:batchGenerateContent',
    summary: 'Make a batch at Gemini',
    body: 'json',
    bodySchema: {
      type: 'object',
      required: ['batch'],
      properties: { batch: { type: 'object' } },
      additionalProperties: true,
    },
    storedObject: { list: geminiBatches, action: 'create' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1beta/batches',
    summary: 'List batches at Gemini',
    storedObject: { list: geminiBatches, action: 'list' },
  },
  {
    ...shared,
    method: 'POST',
    path: '/v1beta/batches/*:cancel',
    summary: 'Cancel a batch at Gemini',
    storedObject: { list: geminiBatches, action: 'read' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1beta/batches/*',
    summary: 'A batch at Gemini, its state and results',
    storedObject: { list: geminiBatches, action: 'read' },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/v1beta/batches/*',
    summary: 'Delete a batch at Gemini',
    storedObject: { list: geminiBatches, action: 'delete' },
  },
];
