import OpenAI, { toFile } from 'openai';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { at } from './at.ts';
import { eventually } from './eventually.ts';

/** The lines of a file with these contents of messages. */
export function callFile(contents: readonly string[], body: object = {}): string {
  return contents
    .map((content, index) =>
      JSON.stringify({
        custom_id: `call-${index}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: {
          model: 'mistral-small-latest',
          max_tokens: 100,
          messages: [{ role: 'user', content }],
          ...body,
        },
      }),
    )
    .join('\n');
}

/** What a client asks a provider. */
export function askedText({ json }: SeenRequest): string {
  return String(at(json, 'messages', 0, 'content'));
}

/** A provider's answer to a chat. */
export function chatAnswer(text: string, model = 'mistral-small-latest'): Script {
  const message = { role: 'assistant', content: text };
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { body: { id: 'c', object: 'chat.completion', created: 1, model, choices, usage } };
}

/** A client whose files the gateway keeps itself. */
export function batchClient(url: string, apiKey = 'none', headers: Record<string, string> = {}): OpenAI {
  const defaultHeaders = { 'x-weir-provider': 'weir', ...headers };
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, defaultHeaders, maxRetries: 0 });
}

export async function uploadCalls(openai: OpenAI, content: string): Promise<string> {
  const file = await toFile(Buffer.from(content), 'calls.jsonl');
  return (await openai.files.create({ file, purpose: 'batch' })).id;
}

export async function makeBatch(
  openai: OpenAI,
  content: string,
  endpoint: OpenAI.BatchCreateParams['endpoint'] = '/v1/chat/completions',
): Promise<OpenAI.Batch> {
  const input = await uploadCalls(openai, content);
  return openai.batches.create({ input_file_id: input, endpoint, completion_window: '24h' });
}

const finalStates: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export function ended(openai: OpenAI, id: string): Promise<OpenAI.Batch> {
  return eventually(async () => {
    const batch = await openai.batches.retrieve(id);
    return finalStates.has(batch.status) ? batch : undefined;
  });
}

/** The lines of a file of results, by the client's own names. */
export async function resultsIn(
  openai: OpenAI,
  file: string | null | undefined,
): Promise<ReadonlyMap<string, unknown>> {
  if (file == null) return new Map();
  const text = await (await openai.files.content(file)).text();
  const lines: unknown[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return new Map(lines.map((line) => [String(at(line, 'custom_id')), line]));
}
