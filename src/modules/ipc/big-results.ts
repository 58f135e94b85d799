import type { Block, DecisionLog, Exchange, Message, ToolResultBlock } from '../../module-api.ts';
import { bigResultChars, decisionBytesMax } from './limits.ts';
import { refOf } from './refs.ts';
import { shrinkText } from './text/shrink-text.ts';

/**
 * Replaces big tool results with what was first sent for them. Decides for the newest turn whether to shrink them; earlier
 * turns use their stored decision.
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
              decisionKey: `first:${exchange.conversation.digestAt(at + 1)}:${nth}`,
              ref: refOf(exchange.conversation, at),
              isNewest: at >= newest,
              decisionLog,
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
  readonly decisionKey: string;
  /** The ref under which the original message can be read. */
  readonly ref: string;
  readonly isNewest: boolean;
  readonly decisionLog: DecisionLog;
  archive(ref: string): void;
}

async function shrinkResult(
  block: ToolResultBlock,
  { decisionKey, ref, isNewest, decisionLog, archive }: ShrinkContext,
): Promise<ToolResultBlock> {
  const texts = textsOf(block);
  if (texts.every(({ length }) => length < bigResultChars)) return block;
  const stored = await decisionLog.get(decisionKey);
  const decided =
    stored ?? (isNewest ? await decideShrinking(texts, { decisionKey, ref, decisionLog }) : undefined);
  if (stored === undefined && decided !== undefined) archive(ref);
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

/** Stores no decision if nothing can be shrunk. */
async function decideShrinking(
  texts: readonly string[],
  { decisionKey, ref, decisionLog }: Pick<ShrinkContext, 'decisionKey' | 'ref' | 'decisionLog'>,
): Promise<unknown> {
  const shrunkTexts = texts.map((text) => {
    const less = shrinkText(text);
    return less === undefined ? null : `${less}\n[shrunk by the gateway; the whole is kept as ${ref}]`;
  });
  if (shrunkTexts.every((text) => text === null)) return undefined;
  if (Buffer.byteLength(JSON.stringify(shrunkTexts)) > decisionBytesMax) return undefined;
  return decisionLog.decideOnce(decisionKey, () => shrunkTexts);
}

function textsOf({ content }: ToolResultBlock): readonly string[] {
  if (content === undefined) return [];
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

export function hasBigResult(message: Message): message is Message & { readonly content: readonly Block[] } {
  const { content } = message;
  if (typeof content === 'string') return false;
  return content.some(
    (block) => block.type === 'tool_result' && textsOf(block).some(({ length }) => length >= bigResultChars),
  );
}
