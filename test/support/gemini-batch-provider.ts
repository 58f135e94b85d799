import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { at } from './at.ts';

interface Batch {
  readonly model: string;
  readonly calls: number;
  readonly isInlined: boolean;
  state: string;
}

/** Tokens of every answer. */
const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 500, totalTokenCount: 1500 };

/** Google's files and batches. Batches end when a test says so. */
export class GeminiBatchProvider {
  readonly #files = new Map<string, string>();
  readonly #batches = new Map<string, Batch>();
  #made = 0;

  readonly serve = ({ method, url, json, headers, bytes }: SeenRequest): Script => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (pathname.startsWith('/upload/')) {
      if (String(headers['x-goog-upload-command']) === 'start')
        return {
          body: '',
          headers: {
            'x-goog-upload-url': `https://google.test/upload/v1beta/files?upload_id=u${++this.#made}`,
          },
        };
      const id = `input${++this.#made}`;
      this.#files.set(id, bytes.toString());
      const isFinal = String(headers['x-goog-upload-command']).includes('finalize');
      return {
        body: isFinal ? { file: { name: `files/${id}`, state: 'ACTIVE' } } : '',
        headers: { 'x-goog-upload-status': isFinal ? 'final' : 'active' },
      };
    }
    const [, model] = /\/models\/(.+):batchGenerateContent$/.exec(pathname) ?? [];
    if (model !== undefined) return { body: this.#make(model, json) };
    const [, file = '', isContent] = /\/files\/([^:]+)(:download)?$/.exec(pathname) ?? [];
    if (file !== '') {
      const content = this.#files.get(file);
      if (content === undefined) return { status: 404, body: { error: { code: 404, message: 'no file' } } };
      if (isContent === undefined) return { body: { name: `files/${file}` } };
      if (searchParams.get('alt') !== 'media') return { body: {} };
      return { body: content, headers: { 'content-type': 'application/octet-stream' } };
    }
    if (pathname.endsWith('/batches'))
      return { body: { operations: [...this.#batches.keys()].map((id) => this.#operation(id)) } };
    const [, id = '', verb] = /\/batches\/([^:]+)(:cancel)?$/.exec(pathname) ?? [];
    const batch = this.#batches.get(id);
    if (batch === undefined) return { status: 404, body: { error: { code: 404, message: 'no batch' } } };
    if (verb !== undefined) batch.state = 'BATCH_STATE_CANCELLED';
    if (method === 'DELETE') this.#batches.delete(id);
    return { body: method === 'GET' ? this.#operation(id) : {} };
  };

  /** Ends a batch by its name. */
  finish(name: string | undefined, state = 'BATCH_STATE_SUCCEEDED'): void {
    const id = String(name).slice('batches/'.length);
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new Error(`no batch ${name}`);
    batch.state = state;
    const lines = this.#answers(batch).map((answer, index) =>
      JSON.stringify({ key: `k${index}`, ...answer }),
    );
    this.#files.set(`batch-${id}`, `${lines.join('\n')}\n`);
  }

  #make(model: string, json: SeenRequest['json']): object {
    const id = `b${++this.#made}`;
    const fileName = at(json, 'batch', 'inputConfig', 'fileName');
    const requests = at(json, 'batch', 'inputConfig', 'requests', 'requests');
    const lines = (this.#files.get(String(fileName).slice('files/'.length)) ?? '').split('\n');
    this.#batches.set(id, {
      model,
      calls: Array.isArray(requests) ? requests.length : lines.filter((line) => line !== '').length,
      isInlined: Array.isArray(requests),
      state: 'BATCH_STATE_PENDING',
    });
    return this.#operation(id);
  }

  #operation(id: string): object {
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new Error(`no batch ${id}`);
    const { model, state, isInlined } = batch;
    const name = `batches/${id}`;
    const metadata = {
      '@type': 'type.googleapis.com/GenerateContentBatch',
      name,
      model: `models/${model}`,
      state,
    };
    if (state !== 'BATCH_STATE_SUCCEEDED') return { name, metadata };
    const output = isInlined
      ? { inlinedResponses: { inlinedResponses: this.#answers(batch) } }
      : { responsesFile: `files/batch-${id}` };
    return { name, metadata: { ...metadata, output }, done: true, response: output };
  }

  /** The last call of several fails. */
  #answers({ calls, model }: Batch): readonly object[] {
    const candidates = [{ content: { role: 'model', parts: [{ text: 'Splash.' }] }, finishReason: 'STOP' }];
    return Array.from({ length: calls }, (_, index) =>
      index > 0 && index === calls - 1
        ? { error: { code: 3, message: 'no' } }
        : { response: { candidates, usageMetadata, modelVersion: model } },
    );
  }
}
