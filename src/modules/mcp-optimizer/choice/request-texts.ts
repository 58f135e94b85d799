import type { ChatRequest, Message } from '../../../module-api.ts';
import { clausesOf } from './clauses.ts';

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
  const said = messages.map((message) => ({ role: message.role, text: textIn(message) }));
  const newest = said.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  const asked = said[newest]?.text ?? '';
  add(asked, 1);
  for (const clause of clausesOf(asked)) add(clause, 1);
  const others = said.filter(({ role, text }, at) => at !== newest && role !== 'system' && text !== '');
  for (const { text } of others.slice(-earlierTurns)) add(text, earlierWeight);
  const first = others.find(({ role }) => role === 'user');
  if (first !== undefined) add(first.text, earlierWeight);
  return texts;
}

/** What people and models said themselves, without what clients put in between in tags of their own. */
function textIn({ content }: Message): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.map((block) => (block.type === 'text' ? block.text : ''));
  return shortened(texts.map(withoutReminders).join('\n').trim());
}

/** Agents tell their models of the circumstances in blocks that stand beside what the user said. */
function withoutReminders(text: string): string {
  return text.replace(reminders, '').trim();
}

const reminders = /<(system-reminder|environment_context|user_instructions)>[\s\S]*?<\/\1>/g;

/** Of a long one its beginning and its end: that is where people say what they want. */
function shortened(text: string): string {
  if (text.length <= charactersRead) return text;
  const half = charactersRead / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}
