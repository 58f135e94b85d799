import type { Exchange, Message } from '../../module-api.ts';
import { refOf } from './refs.ts';
import type { View } from './view.ts';

/** Omitted messages and the ref under which they can be read. */
export interface OmittedMessages {
  readonly ref: string;
  readonly content: readonly Message[];
}

/** A conversation before compaction. */
export interface OriginalConversation {
  /** As the client sent it, with the gateway's part of earlier turns. */
  readonly incoming: Exchange;
  /** With big results as they were first sent. */
  readonly firstSent: Exchange;
}

/** What a view omits and the one before didn't: ranges that became records, and each shortened message. */
export function findNewlyOmitted(
  view: View,
  before: View | undefined,
  { incoming, firstSent }: OriginalConversation,
): readonly OmittedMessages[] {
  const refsBefore = new Set(before?.pieces.map(({ ref }) => ref));
  const whole = incoming.request.messages;
  return view.pieces
    .filter(({ ref }) => !refsBefore.has(ref))
    .flatMap(({ kind, ref, from, to, messages }): readonly OmittedMessages[] => {
      if (kind === 'record') return [{ ref, content: whole.slice(from, to) }];
      return messages.flatMap((message, at) => {
        const index = from + at;
        if (message === whole[index] || message === firstSent.request.messages[index]) return [];
        return [{ ref: refOf(incoming.conversation, index), content: whole.slice(index, index + 1) }];
      });
    });
}

/** The messages behind a ref, searched only in this conversation. */
export function findByRef(
  { conversation, request: { messages } }: Exchange,
  view: View | undefined,
  ref: string,
): readonly Message[] | undefined {
  const piece = view?.pieces.find((one) => one.kind === 'record' && one.ref === ref);
  if (piece !== undefined) return messages.slice(piece.from, piece.to);
  const at = messages.findIndex((_, index) => refOf(conversation, index) === ref);
  return at < 0 ? undefined : messages.slice(at, at + 1);
}
