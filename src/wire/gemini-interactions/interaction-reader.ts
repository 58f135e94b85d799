import type { ErrorEvent, ReplyEvent, StreamError } from '../../kernel/message.ts';
import { AnswerBuilder } from '../../kernel/reply/answer-events.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { startedAnswer } from '../started-answer.ts';
import { errorOf } from './errors.ts';
import { failureOf, stopFieldsOf } from './status.ts';
import { StepReader } from './step-reader.ts';
import { usageOf } from './usage.ts';

/** Turns an interaction, complete or as a stream of events, into the events of a reply. */
export class InteractionReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #steps: StepReader;
  #started = false;
  /** Whether the end has arrived. */
  finished = false;

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
    this.#steps = new StepReader(emit);
  }

  get hasContent(): boolean {
    return this.#steps.hasContent;
  }

  read(event: JsonObject): void {
    switch (event.event_type) {
      case 'interaction.created':
        this.#start(objectOf(event.interaction) ?? {});
        return;
      case 'interaction.completed':
        this.readWhole(objectOf(event.interaction) ?? {});
        return;
      case 'step.start':
        this.#start({});
        this.#steps.start(event.index, objectOf(event.step) ?? {});
        return;
      case 'step.delta':
        this.#steps.append(event.index, objectOf(event.delta) ?? {});
        return;
      case 'step.stop':
        this.#steps.stop(event.index);
        return;
      default:
        // A gateway in between may have its own error format.
        if (event.error != null) this.#fail(errorOf(event.error), event);
    }
  }

  /** An interaction with all of its steps, or the end of one whose steps were streamed. */
  readWhole(interaction: JsonObject): void {
    this.#start(interaction);
    const failure = failureOf(interaction);
    if (failure !== undefined) {
      this.#fail(failure, interaction);
      return;
    }
    if (!this.hasContent)
      for (const [at, step] of objectsOf(interaction.steps).entries()) {
        this.#steps.start(at, step);
        this.#steps.stop(at);
      }
    this.#steps.close();
    this.finished = true;
    const delta = stopFieldsOf(interaction, this.#steps.hasToolCalls);
    this.#emit({ type: 'message_delta', delta, usage: usageOf(interaction) });
    this.#emit({ type: 'message_stop' });
  }

  #start(interaction: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    const model = stringOf(interaction.model) ?? '';
    this.#steps.model = model;
    const message = startedAnswer(stringOf(interaction.id) ?? '', model);
    this.#emit({ type: 'message_start', message });
  }

  #fail(error: StreamError, interaction: JsonObject): void {
    this.finished = true;
    const usage = usageOf(interaction);
    const isReported = Object.keys(usage).length > 0;
    if (this.hasContent && isReported) this.#emit({ type: 'message_delta', delta: {}, usage });
    // A separate usage event would look like the start of the reply.
    this.#emit({ type: 'error', error, ...(!this.hasContent && isReported && { usage }) });
  }
}

export function readInteraction(body: JsonObject): DecodedReply {
  if (!isInteraction(body)) return undefined;
  const answerBuilder = new AnswerBuilder();
  let failure: ErrorEvent | undefined;
  new InteractionReader((event) => {
    if (event.type === 'error') failure = event;
    answerBuilder.push(event);
  }).readWhole(body);
  if (failure !== undefined) return { error: failure.error, usage: failure.usage ?? {} };
  const answer = answerBuilder.answer();
  return answer === undefined ? undefined : { answer };
}

function isInteraction({ steps, status, error }: JsonObject): boolean {
  return Array.isArray(steps) || typeof status === 'string' || error != null;
}

/** The reply's metadata without its content; undefined without token counts: then the content has to be read. */
export function summarizeInteraction(body: JsonObject): ReplySummary | undefined {
  if (!isInteraction(body) || failureOf(body) !== undefined) return undefined;
  const usage = usageOf(body);
  const calls = objectsOf(body.steps).filter(({ type }) => type === 'function_call');
  const { stop_reason } = stopFieldsOf(body, calls.length > 0);
  const toolNames = calls.flatMap(({ name }) => stringOf(name) ?? []);
  return usage.output_tokens === undefined ? undefined : { stop_reason, usage, toolNames };
}
