import type { Exchange } from '../exchange.ts';
import type { ChatRequest } from '../message.ts';
import { digestOfSystem, digestOfTools } from './digest.ts';

/** What was sent, in the order in which providers keep it: tools, instructions, messages. */
export interface SentPrefix {
  readonly tools: string;
  readonly system: string;
  /** How many messages. */
  readonly count: number;
  /** The place behind the last of them. */
  readonly place: string;
}

export function sentPrefixOf(
  exchange: Exchange,
  count: number = exchange.request.messages.length,
): SentPrefix {
  return { ...headDigestsOf(exchange), count, place: exchange.conversation.digestAt(count) };
}

/** Whether nothing of what was sent before is another now. */
export function startsWithPrefix(exchange: Exchange, sentPrefix: SentPrefix): boolean {
  const { tools, system } = headDigestsOf(exchange);
  if (tools !== sentPrefix.tools || system !== sentPrefix.system) return false;
  if (exchange.request.messages.length < sentPrefix.count) return false;
  return exchange.conversation.digestAt(sentPrefix.count) === sentPrefix.place;
}

/** Whether a module has changed anything that providers keep. */
export function isEdited(before: ChatRequest, after: ChatRequest): boolean {
  return before.messages !== after.messages || before.tools !== after.tools || before.system !== after.system;
}

function headDigestsOf({ request, clientRequest }: Exchange): Pick<SentPrefix, 'tools' | 'system'> {
  return { tools: digestOfTools(request), system: digestOfSystem(request, clientRequest.wire.attribution) };
}
