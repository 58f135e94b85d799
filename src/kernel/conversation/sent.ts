import type { Exchange } from '../exchange.ts';
import type { ChatRequest } from '../message.ts';
import { digestOfSystem, digestOfTools } from './digest.ts';

/** What was sent, in the order in which providers keep it: tools, instructions, messages. */
export interface Sent {
  readonly tools: string;
  readonly system: string;
  /** How many messages. */
  readonly count: number;
  /** The place behind the last of them. */
  readonly place: string;
}

export function sentIn(exchange: Exchange, count: number = exchange.request.messages.length): Sent {
  return { ...headOf(exchange), count, place: exchange.conversation.at(count) };
}

/** Whether nothing of what was sent before is another now. */
export function beginsWith(exchange: Exchange, sent: Sent): boolean {
  const { tools, system } = headOf(exchange);
  if (tools !== sent.tools || system !== sent.system) return false;
  if (exchange.request.messages.length < sent.count) return false;
  return exchange.conversation.at(sent.count) === sent.place;
}

/** Whether a module has changed anything that providers keep. */
export function isEdited(before: ChatRequest, after: ChatRequest): boolean {
  return before.messages !== after.messages || before.tools !== after.tools || before.system !== after.system;
}

function headOf({ request, received }: Exchange): Pick<Sent, 'tools' | 'system'> {
  return { tools: digestOfTools(request), system: digestOfSystem(request, received.wire.attribution) };
}
