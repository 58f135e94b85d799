import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';

interface Line {
  readonly custom_id?: string;
  readonly body?: { readonly model?: string };
  readonly params?: { readonly model?: string };
}

interface Batch {
  object: Record<string, unknown>;
  readonly lines: readonly Line[];
}

/** Tokens of every answer. */
const answerTokens = { input: 1000, output: 500 };

/** A provider with files and batches in the forms of OpenAI and Anthropic. Its batches end when a test says so. */
export class BatchProvider {
  readonly #files = new Map<string, string>();
  readonly #batches = new Map<string, Batch>();
  #made = 0;
  /** How results are sent, if not at once. */
  resultScript: ((content: string) => Script) | undefined;
  /** The answer to the next batch. */
  refusal: Script | undefined;

  readonly serve = (request: SeenRequest): Script => {
    const { method, url, json } = request;
    const { pathname } = new URL(url, 'http://x');
    const [, , id = '', rest = ''] = /\/(files|batches)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(pathname) ?? [];
    const isAnthropic = pathname.includes('/messages/');
    if (pathname.includes('/files')) return this.#serveFile(request, id, rest);
    if (method === 'POST' && id === '') {
      const refusal = this.refusal;
      this.refusal = undefined;
      return refusal ?? { body: isAnthropic ? this.#makeAnthropic(json) : this.#makeOpenai(json) };
    }
    const batch = this.#batches.get(id);
    if (batch === undefined) return { status: 404, body: { error: { message: 'no batch' } } };
    if (rest === 'results') return this.#results(batch.lines.map((line) => anthropicResult(line)).join(''));
    return { body: batch.object };
  };

  /** Ends a batch, with one failed call after the others. */
  finish(id: string, state: 'completed' | 'failed' = 'completed'): void {
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new Error(`no batch ${id}`);
    const isAnthropic = batch.object.type === 'message_batch';
    const output = `file-out-${id}`;
    if (state === 'completed')
      this.#files.set(output, batch.lines.map((line) => openaiResult(line)).join(''));
    Object.assign(
      batch.object,
      isAnthropic
        ? {
            processing_status: 'ended',
            request_counts: { ...counts, succeeded: state === 'completed' ? batch.lines.length : 0 },
            results_url: `https://api.anthropic.com/v1/messages/batches/${id}/results`,
          }
        : { status: state, ...(state === 'completed' && { output_file_id: output }) },
    );
  }

  #serveFile({ method, bytes }: SeenRequest, id: string, rest: string): Script {
    if (method === 'POST') {
      const content = /filename=[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(bytes.toString())?.[1] ?? '';
      const made = `file-${++this.#made}`;
      this.#files.set(made, content);
      return { body: { id: made, object: 'file', purpose: 'batch', filename: 'calls.jsonl' } };
    }
    const content = this.#files.get(id);
    if (content === undefined) return { status: 404, body: { error: { message: 'no file' } } };
    return rest === 'content' ? this.#results(content) : { body: { id, object: 'file', purpose: 'batch' } };
  }

  #results(content: string): Script {
    return (
      this.resultScript?.(content) ?? {
        body: content,
        headers: { 'content-type': 'application/octet-stream' },
      }
    );
  }

  #makeOpenai({ input_file_id: file, endpoint }: SeenRequest['json']): object {
    const content = this.#files.get(String(file)) ?? '';
    const id = `batch_${++this.#made}`;
    const object = { id, object: 'batch', endpoint, status: 'in_progress', input_file_id: file };
    const lines = content.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []));
    this.#batches.set(id, { object, lines });
    return object;
  }

  #makeAnthropic({ requests }: SeenRequest['json']): object {
    const id = `msgbatch_${++this.#made}`;
    const object = {
      id,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: counts,
      results_url: null,
    };
    this.#batches.set(id, { object, lines: Array.isArray(requests) ? requests : [] });
    return object;
  }
}

const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };

function openaiResult({ custom_id, body }: Line): string {
  const usage = {
    prompt_tokens: answerTokens.input,
    completion_tokens: answerTokens.output,
    total_tokens: answerTokens.input + answerTokens.output,
  };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Splash.' }, finish_reason: 'stop' }];
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: body?.model,
    choices,
    usage,
  };
  return `${JSON.stringify({ id: 'r', custom_id, response: { status_code: 200, body: answer }, error: null })}\n`;
}

function anthropicResult({ custom_id, params }: Line): string {
  const usage = {
    input_tokens: answerTokens.input,
    output_tokens: answerTokens.output,
    service_tier: 'batch',
  };
  const message = {
    ...{
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: params?.model,
      content: [{ type: 'text', text: 'Splash.' }],
    },
    ...{ stop_reason: 'end_turn', stop_sequence: null, usage },
  };
  return `${JSON.stringify({ custom_id, result: { type: 'succeeded', message } })}\n`;
}
