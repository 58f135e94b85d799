import type { RelayRoute } from '../../kernel/relay.ts';
import { openaiFiles } from './stored-object-lists.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'files',
  body: 'none',
  defaultProvider: 'openai',
  price: 'free',
} as const;

export const openaiFileRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file',
    body: 'bytes',
    storedObject: { list: openaiFiles, action: 'create' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files',
    summary: 'List files',
    storedObject: { list: openaiFiles, action: 'list' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files/*/content',
    summary: 'The content of a file',
    storedObject: { list: openaiFiles, action: 'content' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files/*',
    summary: 'A file without its content',
    storedObject: { list: openaiFiles, action: 'read' },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/v1/files/*',
    summary: 'Delete a file',
    storedObject: { list: openaiFiles, action: 'delete' },
  },
];
