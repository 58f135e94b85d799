import type { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import type { SocketFormat } from '../../../kernel/socket-format.ts';
import { stringOf } from '../../json-values.ts';
import { createResponseSkeleton, responseIdOf } from '../encode-response.ts';
import { encodeUsage } from '../usage.ts';
import { withLane } from './lane.ts';

/** The answer to a message that only prepares a turn: a response without output. */
export function answerPrepared(
  message: LazyJsonObject,
  answerId: string,
  seconds: number,
): ReturnType<SocketFormat['answerPrepared']> {
  const lane = stringOf(message.get('stream_id'));
  const body = message.parse();
  const model = stringOf(body.model) ?? '';
  const started = createResponseSkeleton({ id: answerId, model }, body, seconds);
  const completed = {
    ...started,
    status: 'completed',
    completed_at: seconds,
    usage: encodeUsage({ input_tokens: 0, output_tokens: 0 }),
  };
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.completed', response: completed },
  ];
  return {
    id: responseIdOf(answerId),
    messages: events.map((event, at) => withLane(JSON.stringify({ ...event, sequence_number: at }), lane)),
  };
}
