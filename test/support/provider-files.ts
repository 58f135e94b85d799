import assert from 'node:assert/strict';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';

interface ProviderFile {
  readonly object: object;
  readonly key: string;
  readonly content: string;
}

/** The files API of OpenAI, Anthropic and Google: a file belongs to the key that made it. */
export class ProviderFiles {
  readonly #files = new Map<string, ProviderFile>();
  #made = 0;

  clear(): void {
    this.#files.clear();
  }

  answer(request: SeenRequest): Script {
    const { method, url, bytes } = request;
    const { pathname } = new URL(url, 'http://x');
    const key = keyOf(request);
    if (pathname.startsWith('/upload/')) return this.#answerUpload(request);
    if (method === 'POST') {
      const form = bytes.toString();
      const content = /filename=[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(form)?.[1] ?? '';
      const purpose = /name="purpose"\r\n\r\n([^\r]*)/.exec(form)?.[1];
      const isAnthropic = request.headers['anthropic-version'] !== undefined;
      const id = isAnthropic ? `file_${++this.#made}` : `file-${++this.#made}`;
      const object = isAnthropic
        ? {
            id,
            type: 'file',
            filename: 'river.txt',
            mime_type: 'text/plain',
            size_bytes: content.length,
            created_at: '2026-11-19T00:00:00Z',
          }
        : {
            id,
            object: 'file',
            bytes: content.length,
            created_at: this.#made,
            filename: 'river.txt',
            purpose,
            status: 'processed',
          };
      this.#files.set(id, { object, key, content });
      return { body: object };
    }
    const [, id = '', isContent] = /\/files\/([^/:]+)(.*)$/.exec(pathname) ?? [];
    const file = this.#files.get(id);
    if (id === '')
      return {
        body: {
          object: 'list',
          data: [...this.#files.values()].map(({ object }) => object),
          has_more: false,
        },
      };
    if (file === undefined || file.key !== key)
      return { status: 404, body: { error: { message: `no ${id} for this key` } } };
    if (method === 'DELETE') {
      this.#files.delete(id);
      return { body: pathname.startsWith('/v1beta') ? {} : { id, deleted: true } };
    }
    return isContent === ''
      ? { body: file.object }
      : { body: file.content, headers: { 'content-type': 'text/plain' } };
  }

  #answerUpload(request: SeenRequest): Script {
    const { headers, bytes, url } = request;
    if (String(headers['x-goog-upload-command']) === 'start')
      return {
        body: '',
        headers: {
          'x-goog-upload-url':
            'https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=u1&upload_protocol=resumable',
        },
      };
    assert.match(url, /upload_id=u1&upload_protocol=resumable/);
    const id = `abc${++this.#made}`;
    const object = {
      name: `files/${id}`,
      uri: `https://generativelanguage.googleapis.com/v1beta/files/${id}`,
      state: 'ACTIVE',
    };
    this.#files.set(id, { object, key: keyOf(request), content: bytes.toString() });
    return { body: { file: object }, headers: { 'x-goog-upload-status': 'final' } };
  }
}

/** The key of a request. */
export function keyOf({ headers }: SeenRequest): string {
  return String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization);
}
