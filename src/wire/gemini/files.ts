import type { RelayRoute } from '../../kernel/relay.ts';
import { geminiFiles } from './stored-object-lists.ts';

const shared = {
  purpose: 'relay',
  endpoint: 'files',
  body: 'none',
  defaultProvider: 'gemini',
  price: 'free',
} as const;

export const geminiFileRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    endpoint: 'uploads',
    method: 'POST',
    path: '/upload/v1beta/files',
    summary: 'Upload a file to Gemini',
    body: 'bytes',
    storedObject: { list: geminiFiles, action: 'create', namesUploadAddress: true },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1beta/files',
    summary: 'List files at Gemini',
    storedObject: { list: geminiFiles, action: 'list' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1beta/files/*:download',
    summary: 'The content of a file at Gemini',
    queryFor: () => '?alt=media',
    storedObject: { list: geminiFiles, action: 'content' },
  },
  {
    ...shared,
    endpoint: 'downloads',
    method: 'GET',
    path: '/download/v1beta/files/*:download',
    summary: 'The content of a file at Gemini, as its guide of batches reads it',
    queryFor: () => '?alt=media',
    storedObject: { list: geminiFiles, action: 'content' },
  },
  {
    ...shared,
    method: 'GET',
    path: '/v1beta/files/*',
    summary: 'A file at Gemini without its content',
    storedObject: { list: geminiFiles, action: 'read' },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/v1beta/files/*',
    summary: 'Delete a file at Gemini',
    storedObject: { list: geminiFiles, action: 'delete' },
  },
];
