import type { ChatRequest, Message } from '../../../module-api.ts';
import { splitClauses } from './clauses.ts';

/** A text that says what a conversation is about, and how much it counts. */
export interface RequestText {
  readonly text: string;
  readonly weight: number;
}

/** More is not read by the model for tools, and clauses of it are read by themselves. */
const charactersRead = 1200;
/** Earlier turns that still say what is going on. */
const earlierTurns = 3;
/** What was said before counts less than what is asked for now. */
const earlierWeight = 0.9;

/** The newest turn of the user, whole and clause by clause, then what was asked and planned before. Output of tools is nobody's wish. */
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

/** What the user said last, and what was said around that; conversations are long, so it is read from their end. */
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

/** What people and models said themselves, without what clients put in between in tags of their own. */
function messageTextOf({ content }: Message): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.map((block) => (block.type === 'text' ? block.text : ''));
  return truncateMiddle(texts.map(removeReminders).join('\n').trim());
}

/** Agents tell their models of the circumstances in blocks that stand beside what the user said. */
function removeReminders(text: string): string {
  const opened = /<(system-reminder|environment_context|user_instructions)>/g;
  const neverClosed = new Set<string>();
  let rest = '';
  let from = 0;
  for (let found = opened.exec(text); found !== null; found = opened.exec(text)) {
    const closing = `</${found[1]}>`;
    const end = neverClosed.has(closing) ? -1 : text.indexOf(closing, opened.lastIndex);
    // Looked for once: a text may open as many as it likes.
    if (end < 0) neverClosed.add(closing);
    else {
      rest += text.slice(from, found.index);
      from = end + closing.length;
      opened.lastIndex = from;
    }
  }
  return (rest + text.slice(from)).trim();
}

/** Of a long one its beginning and its end: that is where people say what they want. */
function truncateMiddle(text: string): string {
  if (text.length <= charactersRead) return text;
  const half = charactersRead / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}
