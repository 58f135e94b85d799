import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import { type ChatRequest, essentialFieldsOf } from '../message.ts';
import type { Handler, Kit } from '../module.ts';
import type { Reply } from '../reply/reply.ts';
import { appendTools, assignUniqueNames, type GatewayTool } from './gateway-tool.ts';
import { ToolLoop } from './tool-loop.ts';
import { type HiddenBlocks, restoreToolRounds } from './turn-history.ts';

export interface WithToolsOptions {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly kit: Pick<Kit<unknown>, 'decisions' | 'note' | 'toolAnswers'>;
  /** Blocks to hide from clients, and to restore when they continue. */
  readonly hidden?: HiddenBlocks;
  /** Whether calls of this tool that are repeated in one answer reach the client once; its result is then for all of them. */
  readonly isFoldable?: (tool: string) => boolean;
  /** The maximum number of rounds for one answer. */
  readonly rounds?: number;
  /**
   * For modules that edit more than tools: gets the request with the rounds of earlier turns restored, and returns
   * the request to send. `offer` adds the tools; without it the model doesn't see them.
   */
  arrange?(request: ChatRequest, offer: (request: ChatRequest) => ChatRequest): Promise<ChatRequest>;
}

/**
 * Adds tools to a call and answers them until the model answers the client, who gets one answer. For modules that
 * list `tools`, `history`, `newest-turn`, `output-limit` and `reply` in `touches`.
 */
export async function withTools(tools: readonly GatewayTool[], within: WithToolsOptions): Promise<Reply> {
  const { exchange, next, kit, hidden, isFoldable, rounds = limits.toolRoundsMax } = within;
  const { request } = exchange;
  if (hasFormatOnlyFields(exchange)) return next(exchange);
  const messages = await restoreToolRounds(exchange, kit.decisions, hidden);
  const named = assignUniqueNames(tools, request);
  const whole = messages === request.messages ? request : { ...request, messages };
  exchange.trace.addGatewayTools(named);
  const offer = (edited: ChatRequest) => appendTools(edited, named);
  const outgoing = within.arrange === undefined ? offer(whole) : await within.arrange(whole, offer);
  const isIdle = outgoing.tools === request.tools && hidden?.resend !== true && isFoldable === undefined;
  const reply = await next(outgoing === request ? exchange : exchange.with({ request: outgoing }));
  if (isIdle) return reply;
  const turn = new ToolLoop(
    { exchange, next, kit, tools: named, roundsMax: rounds, hidden, isFoldable },
    outgoing,
  );
  return reply.through((events) => turn.run(events));
}

/** Multiple choices, audio output and conversations stored by the provider can't be continued here. */
export function hasFormatOnlyFields({ request, clientRequest }: Exchange): boolean {
  return Object.keys(essentialFieldsOf(request, clientRequest.wire.name)).length > 0;
}
