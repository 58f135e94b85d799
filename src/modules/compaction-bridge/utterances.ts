import {
  blocksOf,
  type ChatRequest,
  isCompactionBlock,
  isJsonObject,
  type Message,
  removeClientBlocks,
  resultText,
} from '../../module-api.ts';
import { readCharsMax, resultCharsMax, startMessages, textCharsMax } from './limits.ts';
import { parseQuotedConversation } from './quoted-conversation.ts';

/** What one side of a conversation wrote in one message. */
export interface Utterance {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** The tool that the model called, and its arguments. */
  readonly call?: { readonly name: string; readonly input: unknown };
  /** Whether a tool reported an error. */
  readonly failed?: boolean;
}

interface ReadingOptions {
  /** Whether the last text of the user is the instruction to summarize. */
  readonly endsWithInstruction: boolean;
  /** Whether a text is an earlier summary. */
  isSummary(text: string): boolean;
}

/**
 * The conversation of a request that asks for its summary, oldest first: its messages, or the conversation that it
 * quotes in a text. Earlier summaries are left out.
 */
export function utterancesOf({ messages }: ChatRequest, reading: ReadingOptions): readonly Utterance[] {
  const utterances: Utterance[] = [];
  let chars = 0;
  for (const [at, message] of [...messages.entries()].reverse()) {
    const isInstruction = reading.endsWithInstruction && at === messages.length - 1;
    const own = utterancesIn(isInstruction ? withoutLastText(message) : message, reading);
    chars += own.reduce((sum, { text }) => sum + text.length, 0);
    utterances.push(...own.toReversed());
    if (chars > readCharsMax) break;
  }
  return utterances.reverse();
}

/** The message without its last text, unless that quotes a conversation. */
function withoutLastText(message: Message): Message {
  const blocks = blocksOf(message);
  const at = blocks.findLastIndex(({ type }) => type === 'text');
  const last = blocks[at];
  if (last?.type !== 'text' || parseQuotedConversation(last.text) !== undefined) return message;
  return { ...message, content: blocks.toSpliced(at, 1) };
}

function utterancesIn(message: Message, reading: ReadingOptions): readonly Utterance[] {
  return blocksOf(message).flatMap((block): readonly Utterance[] => {
    switch (block.type) {
      case 'text':
        return utterancesInText(message.role, block.text, reading);
      case 'tool_use': {
        const { name, input } = block;
        return [{ role: 'assistant', text: '', call: { name, input } }];
      }
      case 'tool_result': {
        const text = shorten(resultText(block.content), resultCharsMax);
        return [{ role: 'tool', text, failed: block.is_error === true }];
      }
      default:
        return [];
    }
  });
}

function utterancesInText(
  role: Message['role'],
  text: string,
  { isSummary }: ReadingOptions,
): readonly Utterance[] {
  if (role === 'system') return [];
  if (role === 'assistant') return isSummary(text) ? [] : [{ role, text: shorten(text, textCharsMax) }];
  const quoted = parseQuotedConversation(text);
  if (quoted !== undefined)
    return quoted.flatMap((one): readonly Utterance[] => {
      if (isSummary(one.text)) return [];
      if (one.role !== 'user')
        return [{ ...one, text: shorten(one.text, one.role === 'tool' ? resultCharsMax : textCharsMax) }];
      const own = ownWordsOf(one.text);
      return own === '' ? [] : [{ role: 'user', text: own }];
    });
  if (isToolText(text)) return [{ role: 'tool', text: shorten(text, resultCharsMax) }];
  if (isSummary(text)) return [];
  const own = ownWordsOf(text);
  return own === '' ? [] : [{ role: 'user', text: own }];
}

/** The tags around the user's words, in clients that put their own notes beside them. */
const userTags = ['task', 'feedback', 'user_message', 'user_query', 'user_request', 'user_input', 'answer'];

/** What the user wrote, without blocks that the client inserted. */
function ownWordsOf(text: string): string {
  const start = text.slice(0, textCharsMax);
  const tagged = userTags.flatMap((tag) => {
    const from = start.indexOf(`<${tag}>`);
    const to = start.indexOf(`</${tag}>`, from);
    return from < 0 || to < 0 ? [] : [start.slice(from + tag.length + 2, to).trim()];
  });
  return (tagged.length > 0 ? tagged.join('\n') : removeClientBlocks(start)).trim();
}

/** Some clients send results of tools as texts of the user: `[read_file for 'a.ts'] Result:`. */
function isToolText(text: string): boolean {
  return text.startsWith('[') && text.slice(0, 400).includes('] Result:');
}

function shorten(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax * 0.7)}\n${text.slice(-charsMax * 0.3)}`;
}

/** The texts at the start of a context that may be a summary: all before the first answer, and some after it. */
export function startTextsOf(
  messages: readonly Message[],
  from: number,
): readonly { readonly at: number; readonly text: string }[] {
  const answered = messages.findIndex(({ role }, at) => at > from && role === 'assistant');
  const to = Math.max(from + startMessages, answered < 0 ? messages.length : answered + 1);
  return messages.slice(from, to).flatMap((message, offset) =>
    blocksOf(message).flatMap((block) => {
      const text = readableTextOf(block);
      return text === '' ? [] : [{ at: from + offset, text }];
    }),
  );
}

/** The text of a block, also of a summary that the provider made and did not encrypt. */
export function readableTextOf(block: object): string {
  if (!isJsonObject(block)) return '';
  if (block.type === 'text') return typeof block.text === 'string' ? block.text : '';
  const isCompaction = isCompactionBlock({ type: String(block.type), kind: block.kind });
  return isCompaction && typeof block.content === 'string' ? block.content : '';
}
