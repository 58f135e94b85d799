import type { ReplyEvent } from '../kernel/message.ts';

/** Whether an event says that the model refuses to answer. */
export function isRefusal(event: ReplyEvent): boolean {
  if (event.type === 'message_delta') return event.delta.stop_reason === 'refusal';
  return (
    event.type === 'content_block_start' &&
    event.content_block.type === 'text' &&
    event.content_block.refusal === true
  );
}
