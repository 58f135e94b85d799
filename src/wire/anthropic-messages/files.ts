import type { RelayRoute } from '../../kernel/relay.ts';
import type { StoredObjectList } from '../../kernel/stored-object.ts';
import { stringOf } from '../json-values.ts';
import { anthropicPage, anthropicQuery, firstSegment } from '../stored-object-list.ts';

const anthropicFiles: StoredObjectList = {
  name: 'anthropic-files',
  title: 'file',
  idOf: firstSegment,
  objectIn(answer) {
    const id = stringOf(answer.id);
    return id === undefined ? undefined : { id, value: answer };
  },
  readQuery: anthropicQuery,
  encodePage: anthropicPage,
};

const shared = {
  purpose: 'relay',
  endpoint: 'files',
  body: 'none',
  // OpenAI's files have the same paths; Anthropic's API requires this header.
  header: 'anthropic-version',
  defaultProvider: 'anthropic',
  price: 'free',
} as const;

export const anthropicFileRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file to Anthropic',
    body: 'bytes',
    storedObject: { list: anthropicFiles, action: 'create' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files',
    summary: 'List files at Anthropic',
    storedObject: { list: anthropicFiles, action: 'list' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files/*/content',
    summary: 'The content of a file at Anthropic',
    storedObject: { list: anthropicFiles, action: 'content' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1/files/*',
    summary: 'A file at Anthropic without its content',
    storedObject: { list: anthropicFiles, action: 'read' },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/v1/files/*',
    summary: 'Delete a file at Anthropic',
    storedObject: { list: anthropicFiles, action: 'delete' },
  },
];
