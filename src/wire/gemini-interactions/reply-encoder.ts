import type { Answer, ReplyEvent, StopDelta, StreamError, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { ReplyEncoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { interactionFields } from './encode-interaction.ts';
import { encodeError } from './errors.ts';
import { statusFieldsOf } from './status.ts';
import { StepWriter } from './step-writer.ts';
import { encodeUsage } from './usage.ts';

/** Writes a stream: events of the interaction and of its steps, with exactly one end. */
export class InteractionsEncoder implements ReplyEncoder {
  readonly #clientBody: JsonObject;
  readonly #now: Date;
  readonly #steps = new StepWriter((type, fields) => this.#emit(type, fields));
  #text = '';
  #fields: JsonObject | undefined;
  #usage: Usage = {};
  #stop: StopDelta = {};
  #ended = false;

  constructor(clientBody: JsonObject, now: Date) {
    this.#clientBody = clientBody;
    this.#now = now;
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
      case 'message_start':
        this.#start(event.message);
        return;
      case 'content_block_start':
        this.#steps.start(event.index, event.content_block);
        return;
      case 'content_block_delta':
        this.#steps.append(event.index, event.delta);
        return;
      case 'content_block_stop':
        this.#steps.stop(event.index);
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

  #start(message: Answer): void {
    this.#usage = mergeUsage(this.#usage, message.usage);
    this.#fields = interactionFields(message, this.#clientBody, this.#now);
    const status = 'in_progress';
    this.#emit('interaction.created', { interaction: { ...this.#fields, status } });
    this.#emit('interaction.status_update', { interaction_id: message.id, status });
  }

  #complete(): void {
    if (this.#ended || this.#fields === undefined) return;
    this.#ended = true;
    this.#steps.close();
    const ending = statusFieldsOf(this.#stop.stop_reason, this.#stop.stop_details);
    this.#emit('interaction.completed', {
      interaction: { ...this.#fields, ...ending, usage: encodeUsage(this.#usage) },
    });
    this.#text += 'event: done\ndata: [DONE]\n\n';
  }

  #fail(error: StreamError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#emit('error', { error: encodeError(error) });
  }

  #emit(event_type: string, fields: JsonObject): void {
    this.#text += `event: ${event_type}\ndata: ${JSON.stringify({ ...fields, event_type })}\n\n`;
  }
}
