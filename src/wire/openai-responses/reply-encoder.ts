import type { ReplyEvent, StopDelta, StreamError, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contextOverflowCode, isContextOverflow } from '../context-overflow.ts';
import { isRefusal } from '../openai/refusal.ts';
import { freeTextTools } from './decode-tools.ts';
import { createResponseSkeleton } from './encode-response.ts';
import { ItemWriter } from './item-writer.ts';
import { createNamespaceRestorer } from './namespaces.ts';
import { statusFieldsOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

/** Writes a stream: numbered events with exactly one end. */
export class ResponsesEncoder implements ReplyEncoder {
  readonly #clientBody: JsonObject;
  readonly #createdSeconds: number;
  #text = '';
  #sequence = 0;
  #skeleton: JsonObject | undefined;
  #items: ItemWriter | undefined;
  #usage: Usage = {};
  #stop: StopDelta = {};
  #refused = false;
  #ended = false;

  constructor(clientBody: JsonObject, createdSeconds: number) {
    this.#clientBody = clientBody;
    this.#createdSeconds = createdSeconds;
  }

  push(event: ReplyEvent): Uint8Array | undefined {
    this.#write(event);
    return this.#takeBytes();
  }

  end(): Uint8Array | undefined {
    this.#complete();
    return this.#takeBytes();
  }

  #takeBytes(): Uint8Array | undefined {
    if (this.#text === '') return undefined;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    return bytes;
  }

  #write(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start': {
        this.#usage = mergeUsage(this.#usage, event.message.usage);
        this.#skeleton = createResponseSkeleton(event.message, this.#clientBody, this.#createdSeconds);
        const free = freeTextTools(this.#clientBody);
        this.#items = new ItemWriter({
          answerId: event.message.id,
          clientBody: this.#clientBody,
          freeTextTools: free,
          addNamespace: createNamespaceRestorer(this.#clientBody),
          encryptsReasoning: wantsEncryptedReasoning(this.#clientBody),
          emit: (type, fields) => this.#emit(type, fields),
        });
        this.#emit('response.created', { response: this.#skeleton });
        this.#emit('response.in_progress', { response: this.#skeleton });
        return;
      }
      case 'content_block_start':
        if (isRefusal(event.content_block)) this.#refused = true;
        this.#items?.start(event.index, event.content_block);
        return;
      case 'content_block_delta':
        this.#items?.append(event.index, event.delta);
        return;
      case 'content_block_stop':
        this.#items?.stop(event.index);
        return;
      case 'message_delta':
        this.#usage = mergeUsage(this.#usage, event.usage);
        if (event.delta.stop_reason != null) this.#stop = event.delta;
        return;
      case 'message_stop':
        this.#complete();
        return;
      case 'error':
        this.#fail(event.error);
        return;
    }
  }

  #emit(type: string, fields: JsonObject): void {
    this.#text += `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ })}\n\n`;
  }

  #complete(): void {
    if (this.#ended || this.#items === undefined) return;
    this.#ended = true;
    const { stop_reason, stop_details } = this.#stop;
    this.#items.close(stop_reason === 'refusal' ? (stop_details?.explanation ?? undefined) : undefined);
    const ending = statusFieldsOf(stop_reason, this.#refused);
    const response = {
      ...this.#skeleton,
      ...ending,
      completed_at: this.#createdSeconds,
      output: this.#items.output,
      usage: encodeUsage(this.#usage),
    };
    this.#emit(`response.${ending.status}`, { response });
  }

  #fail(error: StreamError): void {
    if (this.#ended) return;
    this.#ended = true;
    const { status = 500, message } = error;
    const code = isContextOverflow(error) ? contextOverflowCode : errorCodeForStatus(status);
    const shell =
      this.#skeleton ?? createResponseSkeleton({ id: '', model: '' }, this.#clientBody, this.#createdSeconds);
    const output = this.#items?.output ?? [];
    this.#emit('response.failed', {
      response: { ...shell, status: 'failed', error: { code, message }, output },
    });
  }
}

function wantsEncryptedReasoning({ include }: JsonObject): boolean {
  return Array.isArray(include) && include.includes('reasoning.encrypted_content');
}

/** A failed response has one of a few codes. */
function errorCodeForStatus(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  return status < 500 ? 'invalid_prompt' : 'server_error';
}
