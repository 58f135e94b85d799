import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import { essentialsOf } from '../message.ts';
import type { Handler, Kit } from '../module.ts';
import type { Reply } from '../reply/reply.ts';
import { type AnsweredTool, namedApart, offering } from './answered-tool.ts';
import { withKeptTurns } from './kept-turn.ts';
import { ToolRounds } from './tool-rounds.ts';

export interface ToolsIn {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly kit: Pick<Kit<unknown>, 'ledger' | 'note'>;
  /** How often the model may be asked for one answer. */
  readonly rounds?: number;
}

/**
 * Adds tools to a call and answers them, until the model speaks to the client, who gets one answer. For modules that list
 * `tools`, `history`, `newest-turn`, `output-limit` and `reply` among what they touch.
 */
export async function withTools(tools: readonly AnsweredTool[], within: ToolsIn): Promise<Reply> {
  const { exchange, next, kit, rounds = limits.toolRoundsMax } = within;
  const { request } = exchange;
  if (isBeyondUs(exchange)) return next(exchange);
  const messages = await withKeptTurns(exchange, kit.ledger);
  const named = namedApart(tools, request);
  if (named.size === 0 && messages === request.messages) return next(exchange);
  const asked = offering({ ...request, messages }, named);
  const reply = await next(exchange.with({ request: asked }));
  if (named.size === 0) return reply;
  const turn = new ToolRounds({ exchange, next, kit, tools: named, roundsMax: rounds }, asked);
  return reply.through((events) => turn.of(events));
}

/** Several answers to one question, sound or a conversation that lies elsewhere can't be gone on with here. */
function isBeyondUs({ request, received }: Exchange): boolean {
  return Object.keys(essentialsOf(request, received.wire.name)).length > 0;
}
