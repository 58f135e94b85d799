import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Block,
  blocksOf,
  type Message,
  resultText,
  scoreSalience,
  splitIntoUnits,
  type ToolUseBlock,
} from '../../../module-api.ts';
import { callChars, recordReadChars, usersShareMax } from '../limits.ts';
import { commonLengthMax } from './common-length.ts';

/** A unit of a message that may be included in a record. */
export interface Utterance {
  /** The index of its message. */
  readonly at: number;
  readonly speaker: 'User' | 'Assistant' | 'Tool';
  readonly text: string;
  readonly followsQuestion: boolean;
}

/** The overhead of a line. */
const lineChars = 8;

/** Weights relative to assistant text. */
const speakerWeights = { User: 1.25, Assistant: 1, Tool: 0.5 } as const;
/** Balances ranking by score (0) and by score per character (1). */
const lengthPower = 0.6;

/** What a record includes of a message, with its speaker. */
export interface RecordLine {
  /** The index of the message. */
  readonly at: number;
  readonly text: string;
}

/** Extracts the most useful units of the messages, in turns of the event loop: a long text takes milliseconds in each. */
export async function extractRecord(
  messages: readonly Message[],
  chars: number,
): Promise<readonly RecordLine[]> {
  const said = utterancesIn(messages, Math.max(recordReadChars, 2 * chars));
  await nextTurn();
  const likely = scoreSalience(said);
  await nextTurn();
  return selectLines(said, likely, chars);
}

/** The units that are most likely to be needed, verbatim and in order, up to a size. */
export function selectLines(
  said: readonly Utterance[],
  likely: readonly number[],
  chars: number,
): readonly RecordLine[] {
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
  for (const { at } of rankUtterances(said, likely)) {
    if (left < lineChars) break;
    take(at);
  }
  return formatLines(said, kept);
}

function rankUtterances(said: readonly Utterance[], likely: readonly number[]) {
  return said
    .map(({ text, speaker }, at) => ({
      at,
      worth: ((likely[at] ?? 0) * speakerWeights[speaker]) / (text.length + lineChars) ** lengthPower,
    }))
    .sort((one, other) => other.worth - one.worth);
}

/** Reads up to `charsMax` of the texts in all: of the longest ones, only the start and the end. */
export function utterancesIn(messages: readonly Message[], charsMax = Infinity): readonly Utterance[] {
  const textChars = longestReadText(messages, charsMax);
  const said: Utterance[] = [];
  let asked = false;
  for (const [at, message] of messages.entries()) {
    const speaker = message.role === 'assistant' ? 'Assistant' : 'User';
    const followsQuestion = asked;
    let lastText = '';
    for (const block of blocksOf(message)) {
      if (block.type === 'text') {
        lastText = block.text;
        for (const [nth, text] of unitsOf(block.text, textChars).entries())
          said.push({ at, speaker, text, followsQuestion: followsQuestion && nth === 0 });
      } else {
        const text = summarizeBlock(block);
        if (text !== '')
          said.push({ at, speaker: speaker === 'User' ? 'Tool' : speaker, text, followsQuestion: false });
      }
    }
    asked = endsWithQuestion(lastText);
  }
  return said;
}

/** The length above which texts are read in part, so that all of them together have at most `charsMax` characters. */
function longestReadText(messages: readonly Message[], charsMax: number): number {
  const lengths = messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => (block.type === 'text' ? [block.text.length] : [])),
  );
  return commonLengthMax(lengths, charsMax);
}

function unitsOf(text: string, charsMax: number): readonly string[] {
  if (text.length > charsMax) {
    const half = Math.floor(charsMax / 2);
    return [text.slice(0, half), text.slice(text.length - half)].flatMap((part) => unitsOf(part, Infinity));
  }
  return splitIntoUnits(text).map(({ start, end }) => text.slice(start, end));
}

/** A note in brackets may follow the question. */
function endsWithQuestion(text: string): boolean {
  const end = text.slice(-400).trimEnd();
  const question = end.endsWith(']') ? end.slice(0, Math.max(0, end.lastIndexOf('['))) : end;
  return question.trimEnd().endsWith('?');
}

function summarizeBlock(block: Block): string {
  switch (block.type) {
    case 'tool_use':
      return `called ${block.name} ${summarizeArguments(block)}`;
    case 'tool_result':
      return `${block.is_error === true ? 'failed: ' : ''}${summarizeText(resultText(block.content))}`;
    case 'image':
    case 'document':
      return `[${block.type}]`;
    default:
      return '';
  }
}

function summarizeArguments({ input }: ToolUseBlock): string {
  const json = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > 80 ? `${value.slice(0, 60)}…` : value,
  );
  return json === undefined ? '' : truncate(json, callChars);
}

function summarizeText(text: string): string {
  return truncate(
    text
      .trimStart()
      .slice(0, callChars * 2)
      .replace(/\s+/g, ' '),
    callChars,
  );
}

function truncate(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

/** One line per speaker and message, with `…` for omitted units. */
function formatLines(said: readonly Utterance[], kept: ReadonlySet<number>): readonly RecordLine[] {
  const lines: RecordLine[] = [];
  let before: Utterance | undefined;
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
