import type { RelayRoute } from '../../kernel/relay.ts';
import { openaiBatches } from './stored-object-lists.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'batches',
  body: 'none',
  defaultProvider: 'openai',
  price: 'free',
} as const;

export const openaiBatchRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    method: 'POST',
    path: '/v1/batches',
    summary: 'Make a batch',
    body: 'json',
    bodySchema: {
      type: 'object',
      required: ['input_file_id', 'endpoint', 'completion_window'],
      properties: {
        input_file_id: { type: 'string' },
        endpoint: { type: 'string' },
        completion_window: { type: 'string' },
      },
      additionalProperties: true,
    },
    storedObject: { list: openaiBatches, action: 'create' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/batches',
    summary: 'List batches',
    storedObject: { list: openaiBatches, action: 'list' },
  },
  {
    ...shared,
    method: 'POST',
    path: '/v1/batches/*/cancel',
    summary: 'Cancel a batch',
    storedObject: { list: openaiBatches, action: 'read' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/batches/*',
    summary: 'A batch and its state',
    storedObject: { list: openaiBatches, action: 'read' },
  },
];
