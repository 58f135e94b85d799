import type { Block, DecisionLog, Exchange, Message, ToolResultBlock } from '../../module-api.ts';
import { bigResultChars, decisionBytesMax } from './limits.ts';
import { refOf } from './refs.ts';
import { shrinkText } from './text/shrink-text.ts';

/**
 * The messages with big results of tools as they were sent for the first time: shrunk, or as they came. Decided for the newest
 * turn; for an earlier one what was decided then.
 */
export async function shrinkBigResults(
  exchange: Exchange,
  decisionLog: DecisionLog,
  archive: (ref: string, message: Message) => void,
): Promise<readonly Message[]> {
  const { messages } = exchange.request;
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  let sent: Message[] | undefined;
  for (const [at, message] of messages.entries()) {
    if (!hasBigResult(message)) continue;
    const content: Block[] = [];
    for (const [nth, block] of message.content.entries())
      content.push(
        block.type === 'tool_result'
          ? await shrinkResult(block, {
              place: `first:${exchange.conversation.digestAt(at + 1)}:${nth}`,
              ref: refOf(exchange.conversation, at),
              isNewest: at >= newest,
              ledger: decisionLog,
              archive: (ref) => archive(ref, message),
            })
          : block,
      );
    if (content.every((block, nth) => block === message.content[nth])) continue;
    sent ??= [...messages];
    sent[at] = { ...message, content };
  }
  return sent ?? messages;
}

interface ShrinkContext {
  readonly place: string;
  /** Under which its message can be read as it was. */
  readonly ref: string;
  readonly isNewest: boolean;
  readonly ledger: DecisionLog;
  archive(ref: string): void;
}

async function shrinkResult(
  block: ToolResultBlock,
  { place, ref, isNewest, ledger: decisionLog, archive }: ShrinkContext,
): Promise<ToolResultBlock> {
  const texts = textsOf(block);
  if (texts.every(({ length }) => length < bigResultChars)) return block;
  const known = await decisionLog.get(place);
  const decided =
    known ?? (isNewest ? await decideShrinking(texts, { place, ref, ledger: decisionLog }) : undefined);
  if (known === undefined && decided !== undefined) archive(ref);
  if (!Array.isArray(decided)) return block;
  const replaced: readonly unknown[] = decided;
  if (typeof block.content === 'string')
    return typeof replaced[0] === 'string' ? { ...block, content: replaced[0] } : block;
  let nth = 0;
  const content = (block.content ?? []).map((part): Block => {
    if (part.type !== 'text') return part;
    const text = replaced[nth++];
    return typeof text === 'string' ? { ...part, text } : part;
  });
  return { ...block, content };
}

/** Where nothing can be left out there is nothing to remember. */
async function decideShrinking(
  texts: readonly string[],
  { place, ref, ledger: decisionLog }: Pick<ShrinkContext, 'place' | 'ref' | 'ledger'>,
): Promise<unknown> {
  const shrunkTexts = texts.map((text) => {
    const less = shrinkText(text);
    return less === undefined ? null : `${less}\n[shrunk by the gateway; the whole is kept as ${ref}]`;
  });
  if (shrunkTexts.every((text) => text === null)) return undefined;
  if (Buffer.byteLength(JSON.stringify(shrunkTexts)) > decisionBytesMax) return undefined;
  return decisionLog.decideOnce(place, () => shrunkTexts);
}

function textsOf({ content }: ToolResultBlock): readonly string[] {
  if (content === undefined) return [];
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function hasBigResult(message: Message): message is Message & { readonly content: readonly Block[] } {
  const { content } = message;
  if (typeof content === 'string') return false;
  return content.some(
    (block) => block.type === 'tool_result' && textsOf(block).some(({ length }) => length >= bigResultChars),
  );
}
