import type { Block, Message, ToolUseBlock } from '../../../module-api.ts';
import { callChars, usersShareMax } from '../limits.ts';
import { blocksOf, resultText } from './blocks.ts';
import { salience } from './salience.ts';
import { unitsOf } from './units.ts';

/** Something that was said, and may stay in a record. */
export interface Said {
  /** The index of its message. */
  readonly at: number;
  readonly speaker: 'User' | 'Assistant' | 'Tool';
  readonly text: string;
  readonly followsQuestion: boolean;
}

/** What a line costs beside its text. */
const lineChars = 8;

/** How much more or less is it worth than what an assistant said? */
const worthOf = { User: 1.25, Assistant: 1, Tool: 0.5 } as const;
/** Between what is worth most in all, and what is worth most for each character. */
const lengthPower = 0.6;

/** What stays of a message, with who said it. */
export interface Line {
  /** The index of the message. */
  readonly at: number;
  readonly text: string;
}

/** What was said in these messages, in their order and in their words, as far as it fits and is worth it. */
export function recordOf(
  messages: readonly Message[],
  chars: number,
  likelihood: (said: readonly Said[]) => readonly number[] = salience,
): readonly Line[] {
  const said = saidIn(messages);
  const likely = likelihood(said);
  const kept = new Set<number>();
  let left = chars;
  const take = (at: number) => {
    const cost = (said[at]?.text.length ?? 0) + lineChars;
    if (cost > left || kept.has(at)) return;
    left -= cost;
    kept.add(at);
  };
  const users = [...said.keys()].filter((at) => said[at]?.speaker === 'User');
  const usersChars = users.reduce((sum, at) => sum + (said[at]?.text.length ?? 0) + lineChars, 0);
  if (usersChars <= chars * usersShareMax) for (const at of users) take(at);
  for (const { at } of ranked(said, likely)) {
    if (left < lineChars) break;
    take(at);
  }
  return written(said, kept);
}

function ranked(said: readonly Said[], likely: readonly number[]) {
  return said
    .map(({ text, speaker }, at) => ({
      at,
      worth: ((likely[at] ?? 0) * worthOf[speaker]) / (text.length + lineChars) ** lengthPower,
    }))
    .sort((one, other) => other.worth - one.worth);
}

export function saidIn(messages: readonly Message[]): readonly Said[] {
  const said: Said[] = [];
  let asked = false;
  for (const [at, message] of messages.entries()) {
    const speaker = message.role === 'assistant' ? 'Assistant' : 'User';
    const followsQuestion = asked;
    let lastText = '';
    for (const block of blocksOf(message)) {
      if (block.type === 'text') {
        lastText = block.text;
        for (const [nth, { start, end }] of unitsOf(block.text).entries())
          said.push({
            at,
            speaker,
            text: block.text.slice(start, end),
            followsQuestion: followsQuestion && nth === 0,
          });
      } else {
        const text = inALine(block);
        if (text !== '')
          said.push({ at, speaker: speaker === 'User' ? 'Tool' : speaker, text, followsQuestion: false });
      }
    }
    asked = endsWithQuestion(lastText);
  }
  return said;
}

/** A remark in brackets may follow the question. */
function endsWithQuestion(text: string): boolean {
  const end = text.slice(-400).trimEnd();
  const question = end.endsWith(']') ? end.slice(0, Math.max(0, end.lastIndexOf('['))) : end;
  return question.trimEnd().endsWith('?');
}

function inALine(block: Block): string {
  switch (block.type) {
    case 'tool_use':
      return `called ${block.name} ${argumentsIn(block)}`;
    case 'tool_result':
      return `${block.is_error === true ? 'failed: ' : ''}${firstWords(resultText(block.content))}`;
    case 'image':
    case 'document':
      return `[${block.type}]`;
    default:
      return '';
  }
}

function argumentsIn({ input }: ToolUseBlock): string {
  const json = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > 80 ? `${value.slice(0, 60)}…` : value,
  );
  return json === undefined ? '' : cutAt(json, callChars);
}

function firstWords(text: string): string {
  return cutAt(
    text
      .trimStart()
      .slice(0, callChars * 2)
      .replace(/\s+/g, ' '),
    callChars,
  );
}

function cutAt(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

/** One line for each who speaks; `…` where something is left out of what they said. */
function written(said: readonly Said[], kept: ReadonlySet<number>): readonly Line[] {
  const lines: Line[] = [];
  let before: Said | undefined;
  let text = '';
  let skipped = false;
  for (const [at, one] of said.entries()) {
    if (!kept.has(at)) {
      skipped = true;
      continue;
    }
    if (before?.at === one.at && before.speaker === one.speaker) text += skipped ? ' … ' : '\n';
    else {
      if (before !== undefined) lines.push({ at: before.at, text });
      text = `${one.speaker}: `;
    }
    text += one.text;
    before = one;
    skipped = false;
  }
  if (before !== undefined) lines.push({ at: before.at, text });
  return lines;
}
