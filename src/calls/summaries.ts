import { GatewayError } from '../kernel/errors.ts';
import type { Answer, Block, ReplyEvent, Usage } from '../kernel/message.ts';
import { AnswerBuilder } from '../kernel/reply/answer-events.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import type { JsonObject } from '../lib/json.ts';

type Events = AsyncIterable<ReplyEvent>;

/** Holds an answer back, with pings in its place. If the model calls a tool or says nothing, the answer to a second request is used. */
export async function* insistOnSummary(events: Events, askAgain: () => Promise<Reply>): Events {
  const builder = new AnswerBuilder();
  const held: ReplyEvent[] = [];
  for await (const event of events) {
    builder.push(event);
    if (event.type === 'message_start') yield event;
    else held.push(event);
    if (event.type === 'error') break;
    if (event.type === 'content_block_delta') yield { type: 'ping' };
  }
  if (!wasMisunderstood(builder.answer())) {
    yield* held;
    return;
  }
  for await (const event of (await askAgain()).events())
    yield event.type === 'message_start'
      ? { type: 'message_delta', delta: {}, usage: event.message.usage }
      : event;
}

function wasMisunderstood(answer: Answer | undefined): boolean {
  if (answer === undefined || answer.stop_reason === null || answer.stop_reason === 'refusal') return false;
  return answer.stop_reason === 'tool_use' || textOf(answer) === '';
}

interface SealOptions {
  /** Blocks in front of the compaction. */
  readonly retained: readonly Block[];
  readonly announced: Block;
  readonly progress: JsonObject;
  seal(summary: string): JsonObject;
}

/** Replaces the content of an answer with a compaction, which is complete when the answer is. */
export async function* sealSummary(events: Events, sealOptions: SealOptions): Events {
  const { retained, announced, progress, seal } = sealOptions;
  const builder = new AnswerBuilder();
  const index = retained.length;
  for await (const event of events) {
    builder.push(event);
    switch (event.type) {
      case 'message_start':
        yield event;
        for (const [at, content_block] of retained.entries()) {
          yield { type: 'content_block_start', index: at, content_block };
          yield { type: 'content_block_stop', index: at };
        }
        yield { type: 'content_block_start', index, content_block: announced };
        break;
      case 'ping':
        yield { type: 'content_block_delta', index, delta: { type: 'foreign_delta', frame: progress } };
        break;
      case 'error':
        yield event;
        return;
    }
  }
  const { summary, usage } = requireSummary(builder.answer());
  yield { type: 'content_block_delta', index, delta: { type: 'foreign_delta', part: seal(summary) } };
  yield { type: 'content_block_stop', index };
  // Half a summary is better than none, which a client would make of an incomplete answer.
  yield { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

function requireSummary(answer: Answer | undefined): { readonly summary: string; readonly usage: Usage } {
  if (answer !== undefined && !notSummaries.has(answer.stop_reason)) {
    const summary = textOf(answer);
    if (summary !== '') return { summary, usage: answer.usage };
  }
  throw new GatewayError(
    'upstream_broken',
    `the model wrote no summary of the conversation (it ended with ${answer?.stop_reason ?? 'nothing'}); try again, or compact with another model`,
  );
}

const notSummaries: ReadonlySet<string | null> = new Set(['tool_use', 'refusal', 'pause_turn']);

function textOf({ content }: Answer): string {
  return content
    .flatMap((block) => (block.type === 'text' && block.refusal !== true ? [block.text] : []))
    .join('\n\n')
    .trim();
}
