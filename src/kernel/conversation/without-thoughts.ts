import type { Exchange } from '../exchange.ts';
import { type Block, type Message, sealMark } from '../message.ts';

interface Edit {
  readonly incoming: Exchange;
  readonly outgoing: Exchange;
}

/** The outgoing exchange without the signed thoughts up to the last of the `old` messages, which outer modules may have edited. */
export function withoutThoughts({ incoming, outgoing }: Edit, old: readonly Message[]): Exchange {
  if (old.length === 0) return outgoing;
  const { messages } = outgoing.request;
  const known = new Set(old);
  const shift = incoming.request.messages.length - messages.length;
  const end = incoming.request.messages.findLastIndex((message) => known.has(message)) + 1 - shift;
  if (!messages.slice(0, Math.max(0, end)).some(hasThoughts)) return outgoing;
  const kept = messages.flatMap((message, at) => (at < end ? withoutThoughtsIn(message) : [message]));
  return outgoing.with({ request: { ...outgoing.request, messages: kept } });
}

function hasThoughts({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(isSignedThought);
}

/** None if it had nothing else. */
function withoutThoughtsIn(message: Message): readonly Message[] {
  const { content } = message;
  if (typeof content === 'string' || !hasThoughts(message)) return [message];
  const rest = content.filter((block) => !isSignedThought(block));
  return rest.length === 0 ? [] : [{ ...message, content: rest }];
}

/** Sealed data of other formats is not checked against the conversation. */
function isSignedThought(block: Block): boolean {
  if (block.type === 'thinking') return Boolean(block.signature);
  return block.type === 'redacted_thinking' && !String(block.data).startsWith(sealMark);
}
