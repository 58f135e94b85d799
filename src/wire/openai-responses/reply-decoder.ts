import type { ReplyEvent } from '../../kernel/message.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { startedAnswer } from '../started-answer.ts';
import { UnreadContentEstimator } from '../unread-content-estimator.ts';
import { ItemReader } from './item-reader.ts';
import { errorOf } from './read-response.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

export class ResponsesDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContentEstimator();
  #events: ReplyEvent[] = [];
  readonly #items = new ItemReader((event) => this.#events.push(event));
  #started = false;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    return this.#decode(this.#sse.end());
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { event, data } of frames) {
      if (this.finished) break;
      if (this.#interest === 'milestones' && this.#items.hasContent && this.#trySkip(event, data)) continue;
      const before = this.#events.length;
      const frame = parseObject(data);
      if (frame !== undefined) this.#read(frame);
      if (this.#interest === 'milestones' && isMeasurable(event, data))
        this.unread.calibrate(data.length, event.length, contentChars(this.#events.slice(before)));
    }
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** After content has started, only the start of an item or the end of the response is read. */
  #trySkip(name: string, data: string): boolean {
    if (!name.endsWith('.delta')) return name.endsWith('.done') || name.startsWith('response.content_part.');
    // The event names of all kinds of content differ in length.
    this.unread.skip(data.length, name.length);
    return true;
  }

  #read(frame: JsonObject): void {
    const type = stringOf(frame.type) ?? '';
    const response = objectOf(frame.response);
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#start(response ?? {});
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#start(response ?? {});
        this.#complete(response ?? {});
        return;
      case 'response.failed':
        this.#fail(response ?? {});
        return;
      case 'error':
        this.#fail({ error: objectOf(frame.error) ?? frame });
        return;
      default:
        // A gateway in between may have its own error format.
        if (type === '' && frame.error != null) this.#fail(frame);
        else this.#items.read(type, frame);
    }
  }

  #start(response: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    const message = startedAnswer(stringOf(response.id) ?? '', stringOf(response.model) ?? '');
    this.#events.push({ type: 'message_start', message });
  }

  #complete(response: JsonObject): void {
    this.finished = true;
    if (!this.#items.hasContent) this.#items.readWhole(objectsOf(response.output));
    this.#items.close();
    const { hasToolCalls, refusal } = this.#items;
    const stop_reason = stopReasonOf(response, { tools: hasToolCalls, refused: refusal !== '' });
    const why =
      refusal === '' ? {} : { stop_details: { type: 'refusal', category: null, explanation: refusal } };
    const usage = usageOf(response);
    this.#events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null, ...why }, usage });
    this.#events.push({ type: 'message_stop' });
  }

  #fail(body: JsonObject): void {
    this.finished = true;
    // A failed response is billed for the usage that the provider reports.
    const usage = usageOf(body);
    if (this.#items.hasContent && usage.output_tokens !== undefined)
      this.#events.push({ type: 'message_delta', delta: {}, usage });
    const error = errorOf({ status: 'failed', ...body });
    // A separate usage event would look like the start of the reply.
    const unreported = this.#items.hasContent ? undefined : { usage };
    if (error !== undefined) this.#events.push({ type: 'error', error, ...unreported });
  }
}

/** OpenAI pads frames to one length to hide their content's; then each counts as one token. */
function isMeasurable(name: string, data: string): boolean {
  return name.endsWith('.delta') && !data.includes('"obfuscation"');
}
