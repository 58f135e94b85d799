import { type Exchange, endUserRefOf, type Kit, type Message } from '../../module-api.ts';
import type { IpcOptions } from './options.ts';
import { refOf } from './refs.ts';
import type { View } from './view.ts';

/** Omitted messages and the ref under which they can be read. */
interface OmittedMessages {
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

/** Archives after the call; until then the client has the content. */
export function archiveLater(
  omitted: readonly OmittedMessages[],
  exchange: Exchange,
  kit: Kit<IpcOptions>,
): void {
  if (omitted.length === 0) return;
  const { archive: ttlSeconds, scope } = kit.options;
  const person = scope === 'account' ? null : endUserRefOf(exchange.clientRequest, kit.scope);
  const { name: conversation } = exchange.conversation;
  kit.runInBackground(async () => {
    await kit.archive.put(omitted.map((one) => ({ ...one, conversation, person, ttlSeconds })));
  });
}
