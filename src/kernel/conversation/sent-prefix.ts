import type { Exchange } from '../exchange.ts';
import type { ChatRequest } from '../message.ts';
import { digestOfSystem, digestOfTools } from './digest.ts';

/** Digests of what was sent, in the order in which providers cache it: tools, instructions, messages. */
export interface SentPrefix {
  readonly tools: string;
  readonly system: string;
  /** The number of messages. */
  readonly count: number;
  /** The digest after the last message. */
  readonly place: string;
}

export function sentPrefixOf(
  exchange: Exchange,
  count: number = exchange.request.messages.length,
): SentPrefix {
  return { ...headDigestsOf(exchange), count, place: exchange.conversation.digestAt(count) };
}

/** Whether the request starts with everything that was sent before. */
export function startsWithPrefix(exchange: Exchange, sentPrefix: SentPrefix): boolean {
  const { tools, system } = headDigestsOf(exchange);
  if (tools !== sentPrefix.tools || system !== sentPrefix.system) return false;
  if (exchange.request.messages.length < sentPrefix.count) return false;
  return exchange.conversation.digestAt(sentPrefix.count) === sentPrefix.place;
}

/** Whether a module has changed anything that providers cache. */
export function isEdited(before: ChatRequest, after: ChatRequest): boolean {
  return before.messages !== after.messages || before.tools !== after.tools || before.system !== after.system;
}

/** Whether an edit leaves everything up to the last answer as it was. */
export function isNewestEdited(before: ChatRequest, after: ChatRequest): boolean {
  const end = before.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return (
    before.tools === after.tools &&
    before.system === after.system &&
    before.messages.slice(0, end).every((message, at) => message === after.messages[at])
  );
}

function headDigestsOf({ request, clientRequest }: Exchange): Pick<SentPrefix, 'tools' | 'system'> {
  return { tools: digestOfTools(request), system: digestOfSystem(request, clientRequest.wire.attribution) };
}
