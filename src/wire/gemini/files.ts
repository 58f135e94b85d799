import type { RelayRoute } from '../../kernel/relay.ts';
import type { StoredObjectList } from '../../kernel/stored-object.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { firstSegment, geminiPage, geminiQuery } from '../stored-object-list.ts';

const geminiFiles: StoredObjectList = {
  name: 'gemini-files',
  title: 'file',
  idOf: firstSegment,
  objectIn(answer) {
    // An upload ends with the file inside of another object.
    const file = objectOf(answer.file) ?? answer;
    const name = stringOf(file.name);
    return name?.startsWith('files/') ? { id: name.slice('files/'.length), value: file } : undefined;
  },
  readQuery: geminiQuery,
  encodePage: (page) => geminiPage('files', page),
};

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
