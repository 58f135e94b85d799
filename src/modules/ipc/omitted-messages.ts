import type { Exchange, Message } from '../../module-api.ts';
import { refOf } from './refs.ts';
import type { View } from './view.ts';

/** What is to be read of what was left out, and under which name. */
export interface OmittedMessages {
  readonly ref: string;
  readonly content: readonly Message[];
}

/** A conversation before it is made smaller. */
export interface OriginalConversation {
  /** As the client sent it, with our part of earlier turns. */
  readonly incoming: Exchange;
  /** With big results as they were first sent. */
  readonly firstSent: Exchange;
}

/** What one view leaves out that another didn't: stretches that became records, and each message that was shortened. */
export function findNewlyOmitted(
  view: View,
  before: View | undefined,
  { incoming, firstSent }: OriginalConversation,
): readonly OmittedMessages[] {
  const known = new Set(before?.pieces.map(({ ref }) => ref));
  const whole = incoming.request.messages;
  return view.pieces
    .filter(({ ref }) => !known.has(ref))
    .flatMap(({ kind, ref, from, to, messages }): readonly OmittedMessages[] => {
      if (kind === 'record') return [{ ref, content: whole.slice(from, to) }];
      return messages.flatMap((message, at) => {
        const index = from + at;
        if (message === whole[index] || message === firstSent.request.messages[index]) return [];
        return [{ ref: refOf(incoming.conversation, index), content: whole.slice(index, index + 1) }];
      });
    });
}

/** What a name stands for in this conversation, which its client has sent: no other can be reached by it. */
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
