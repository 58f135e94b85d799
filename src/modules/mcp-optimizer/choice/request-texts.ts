import type { ChatRequest, Message } from '../../../module-api.ts';
import { splitClauses } from './clauses.ts';

/** A text that indicates what a conversation is about, with its weight. */
export interface RequestText {
  readonly text: string;
  readonly weight: number;
}

/** The maximum length that the tools model reads; clauses are read separately. */
const charactersRead = 1200;
/** The number of earlier turns to consider. */
const earlierTurns = 3;
/** Earlier texts count less than the newest. */
const earlierWeight = 0.9;

/** The newest user text, whole and by clause, then earlier texts. Tool output is no request and is ignored. */
export function requestTexts({ messages }: Pick<ChatRequest, 'messages'>): readonly RequestText[] {
  const texts: RequestText[] = [];
  const add = (text: string, weight: number) => {
    if (text !== '' && !texts.some((known) => known.text === text)) texts.push({ text, weight });
  };
  const { asked, others } = latestIn(messages);
  add(asked, 1);
  for (const clause of splitClauses(asked)) add(clause, 1);
  for (const text of others) add(text, earlierWeight);
  for (const message of messages) {
    const first = message.role === 'user' ? messageTextOf(message) : '';
    if (first === '') continue;
    add(first, earlierWeight);
    break;
  }
  return texts;
}

/** What the user wants now; empty if no user said anything. */
export function newestUserText(messages: readonly Message[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const text = message?.role === 'user' ? messageTextOf(message) : '';
    if (text !== '') return text;
  }
  return '';
}

/** The latest user text and the texts around it, read from the end because conversations are long. */
function latestIn(messages: readonly Message[]): {
  readonly asked: string;
  readonly others: readonly string[];
} {
  let asked = '';
  const others: string[] = [];
  for (const message of messages.toReversed()) {
    if (asked !== '' && others.length >= earlierTurns) break;
    const text = message.role === 'system' ? '' : messageTextOf(message);
    if (text === '') continue;
    if (asked === '' && message.role === 'user') asked = text;
    else if (others.length < earlierTurns) others.unshift(text);
  }
  return { asked, others };
}

/** The text of a message without blocks that clients insert in tags. */
function messageTextOf({ content }: Message): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.map((block) => (block.type === 'text' ? block.text : ''));
  return truncateMiddle(texts.map(removeReminders).join('\n').trim());
}

/** Removes blocks in which agents describe the context next to the user's text. */
function removeReminders(text: string): string {
  const opened = /<(system-reminder|environment_context|user_instructions)>/g;
  const neverClosed = new Set<string>();
  let rest = '';
  let from = 0;
  for (let found = opened.exec(text); found !== null; found = opened.exec(text)) {
    const closing = `</${found[1]}>`;
    const end = neverClosed.has(closing) ? -1 : text.indexOf(closing, opened.lastIndex);
    // Searched once per tag, because a text may open any number of them.
    if (end < 0) neverClosed.add(closing);
    else {
      rest += text.slice(from, found.index);
      from = end + closing.length;
      opened.lastIndex = from;
    }
  }
  return (rest + text.slice(from)).trim();
}

/** Keeps the beginning and the end of a long text, where users state what they want. */
function truncateMiddle(text: string): string {
  if (text.length <= charactersRead) return text;
  const half = charactersRead / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}
