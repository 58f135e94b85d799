import { isCompactionBlock, type Reply, type ReplyEvent } from '../../module-api.ts';
import { answerCharsMax } from './limits.ts';
import { readableTextOf } from './utterances.ts';

/** An answer, as far as it may be a summary. */
export interface SummaryAnswer {
  readonly text: string;
  /** Whether the provider has made a compaction, in a block of its own. */
  readonly hasCompaction: boolean;
  readonly hasToolCalls: boolean;
}

/** Calls `then` with a complete answer before its end is delivered; the client's next call needs what is made of it. */
export function onAnswer(reply: Reply, then: (answer: SummaryAnswer) => Promise<void>): void {
  let [text, hasCompaction, hasToolCalls] = ['', false, false];
  let stored: Promise<void> | undefined;
  const add = (more: string) => {
    if (text.length < answerCharsMax) text += more;
  };
  reply.tap((event: ReplyEvent) => {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      hasCompaction ||= isCompactionBlock(block);
      hasToolCalls ||= block.type === 'tool_use';
      add(`\n${readableTextOf(block)}`);
    } else if (event.type === 'content_block_delta') {
      if (event.delta.type === 'text_delta') add(event.delta.text);
      if (event.delta.type === 'compaction_delta' && typeof event.delta.content === 'string')
        add(event.delta.content);
    } else if (event.type === 'message_delta' && completeStops.has(event.delta.stop_reason ?? ''))
      stored ??= then({ text: text.trim(), hasCompaction, hasToolCalls });
    // Its failure is the module's when the reply ends.
    stored?.catch(() => undefined);
  });
  reply.onEnd(() => stored);
}

/** The reasons for which an answer ends by itself; one that was cut off is no summary. */
const completeStops: ReadonlySet<string> = new Set([
  'end_turn',
  'stop_sequence',
  'compaction',
  'tool_use',
  'pause_turn',
]);
