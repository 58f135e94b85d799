import { type Block, blocksOf, type DecisionLog, type Exchange, type Message } from '../../module-api.ts';
import { bigResultChars, newestTurnShare } from './limits.ts';
import { refOf } from './refs.ts';
import { charsOf } from './text/blocks.ts';
import { commonLengthMax } from './text/common-length.ts';
import { cutMiddle } from './text/shorten.ts';
import { sum } from './view.ts';

interface NewestTurnOptions {
  readonly decisionLog: DecisionLog;
  /** The messages with big results as first sent. */
  readonly messages: readonly Message[];
  /** The size of tools and instructions. */
  readonly fixedChars: number;
  /** The size of the largest request that fits; undefined if unknown. */
  readonly roomChars: number | undefined;
  /** Whether the provider rejected the request as it was cut before. */
  readonly isRefused: boolean;
  archive(ref: string, message: Message): void;
}

interface FittedTurn {
  readonly messages: readonly Message[];
  /** Whether the newest turn is cut. */
  readonly isCut: boolean;
}

/**
 * Cuts the middle out of long texts of the newest turn if the turn alone would exceed the context window. Later calls cut the
 * same texts in the same way.
 */
export async function fitNewestTurn(
  { conversation }: Exchange,
  { decisionLog, messages, fixedChars, roomChars, isRefused, archive }: NewestTurnOptions,
): Promise<FittedTurn> {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const textCharsMax = findTextCharsMax(messages.slice(newest), { fixedChars, roomChars });
  let sent: Message[] | undefined;
  let isCut = false;
  for (const [at, message] of messages.entries()) {
    if (!textsOf(message).some((text) => text.length >= bigResultChars)) continue;
    const key = (isAgain: boolean) => `${isAgain ? 'cut-again' : 'cut'}:${conversation.digestAt(at + 1)}`;
    const isDue = at >= newest && textCharsMax !== undefined;
    const known = (await decisionLog.get(key(true))) ?? (await decisionLog.get(key(false)));
    const isDecided = typeof known === 'number' && !(isDue && isRefused);
    const decided =
      isDecided || !isDue ? known : await decisionLog.decideOnce(key(isRefused), () => textCharsMax);
    if (typeof decided !== 'number') continue;
    const ref = refOf(conversation, at);
    if (!isDecided) archive(ref, message);
    if (at >= newest) isCut = true;
    sent ??= [...messages];
    sent[at] = cutTexts(message, decided, ref);
  }
  return { messages: sent ?? messages, isCut };
}

/** The length to cut texts to; undefined if the turn fits, or can't be made to fit. */
function findTextCharsMax(
  turn: readonly Message[],
  { fixedChars, roomChars }: Pick<NewestTurnOptions, 'fixedChars' | 'roomChars'>,
): number | undefined {
  const turnChars = sum(turn.map(charsOf));
  if (roomChars === undefined || fixedChars + turnChars <= roomChars) return undefined;
  const lengths = turn.flatMap(textsOf).map(({ length }) => length);
  const otherChars = fixedChars + turnChars - sum(lengths);
  const textCharsMax = Math.floor(commonLengthMax(lengths, roomChars * newestTurnShare - otherChars));
  return textCharsMax >= bigResultChars / 2 ? textCharsMax : undefined;
}

function textsOf(message: Message): readonly string[] {
  return blocksOf(message).flatMap((block): readonly string[] => {
    if (block.type === 'text') return [block.text];
    if (block.type !== 'tool_result' || block.content === undefined) return [];
    return textsOf({ role: message.role, content: block.content });
  });
}

function cutTexts(message: Message, charsMax: number, ref: string): Message {
  const cut = (text: string) =>
    text.length <= charsMax
      ? text
      : cutMiddle(text, { headChars: charsMax * 0.6, tailChars: charsMax * 0.4, ref });
  const cutBlock = (block: Block): Block => {
    if (block.type === 'text') return { ...block, text: cut(block.text) };
    if (block.type !== 'tool_result' || block.content === undefined) return block;
    const { content } = block;
    return { ...block, content: typeof content === 'string' ? cut(content) : content.map(cutBlock) };
  };
  const { content } = message;
  return { ...message, content: typeof content === 'string' ? cut(content) : content.map(cutBlock) };
}
