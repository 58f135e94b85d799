import type { Message } from '../../../module-api.ts';
import { neighborShare } from '../limits.ts';
import { blocksOf, resultText } from './blocks.ts';
import { splitIntoUnits } from './units.ts';

interface SearchPassage {
  readonly at: number;
  readonly speaker: string;
  readonly text: string;
}

/** The passages most relevant to a query, in conversation order, up to `chars` characters. */
export function searchMessages(messages: readonly Message[], query: string, chars: number): string {
  const passages = passagesIn(messages);
  const scores = scorePassages(passages, query);
  const near = scores.map(
    (score, at) => score + neighborShare * Math.max(scores[at - 1] ?? 0, scores[at + 1] ?? 0),
  );
  const kept = new Set<number>();
  let left = chars;
  for (const at of [...near.keys()].sort((one, other) => (near[other] ?? 0) - (near[one] ?? 0))) {
    const cost = (passages[at]?.text.length ?? 0) + lineChars;
    if ((near[at] ?? 0) <= 0) break;
    if (cost > left) continue;
    left -= cost;
    kept.add(at);
  }
  return passages
    .filter((_, at) => kept.has(at))
    .map(({ at, speaker, text }) => `[${at + 1}] ${speaker}: ${text}`)
    .join('\n');
}

/** The first passages that fit into `chars`. */
export function renderMessages(messages: readonly Message[], chars: number): string {
  const lines = passagesIn(messages).map(({ speaker, text }) => `${speaker}: ${text}`);
  const whole = lines.join('\n');
  if (whole.length <= chars) return whole;
  return `${whole.slice(0, chars - truncationNoteChars)}\n[… ${whole.length - chars + truncationNoteChars} characters more: say in a query what to look for]`;
}

const truncationNoteChars = 80;
const lineChars = 20;
/** The passage length of long tool results. */
const resultPieceChars = 1200;

function passagesIn(messages: readonly Message[]): readonly SearchPassage[] {
  const passages: SearchPassage[] = [];
  for (const [at, message] of messages.entries()) {
    const speaker = message.role === 'assistant' ? 'Assistant' : 'User';
    for (const block of blocksOf(message)) {
      if (block.type === 'text')
        for (const { start, end } of splitIntoUnits(block.text))
          passages.push({ at, speaker, text: block.text.slice(start, end) });
      else if (block.type === 'tool_use')
        for (const text of piecesOf(`${block.name} ${JSON.stringify(block.input)}`))
          passages.push({ at, speaker: 'Call', text });
      else if (block.type === 'tool_result')
        for (const text of piecesOf(resultText(block.content))) passages.push({ at, speaker: 'Tool', text });
    }
  }
  return passages;
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const stop = text.lastIndexOf('\n', at + resultPieceChars);
    const end = text.length - at <= resultPieceChars ? text.length : stop > at ? stop : at + resultPieceChars;
    pieces.push(text.slice(at, end));
    at = text[end] === '\n' ? end + 1 : end;
  }
  return pieces;
}

/** Okapi BM25 over the stems of words. */
function scorePassages(passages: readonly SearchPassage[], query: string): readonly number[] {
  const asked = [...new Set(stemsOf(query))].filter((stem) => !commonStems.has(stem));
  const stems = passages.map(({ text }) => stemsOf(text));
  const average = stems.reduce((sum, { length }) => sum + length, 0) / Math.max(1, stems.length);
  const scores = new Float64Array(passages.length);
  for (const stem of asked) {
    const counts = stems.map((own) => own.reduce((count, one) => (one === stem ? count + 1 : count), 0));
    const having = counts.filter((count) => count > 0).length;
    if (having === 0) continue;
    const rarity = Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const length = (stems[at]?.length ?? 0) / average;
      scores[at] = (scores[at] ?? 0) + (rarity * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
    }
  }
  return [...scores];
}

const commonStems: ReadonlySet<string> = new Set(
  'a an the of to in on at for and or is are was were be been do does did has have had what when where who which how why with by from that this it its his her their she he they as not would will could should can about into than then there so if any some you your i my we our'.split(
    ' ',
  ),
);

function stemsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_']+/gu) ?? []).map(stemOf);
}

/** Strips English endings; other languages are hardly affected. */
function stemOf(word: string): string {
  let stem = word.replace(/'s?$/, '');
  if (stem.length > 4) stem = stem.replace(/ies$/, 'y').replace(/(ing|edly|ed|es|s|ly)$/, '');
  if (stem.length > 4 && stem.at(-1) === stem.at(-2)) stem = stem.slice(0, -1);
  return stem.length > 3 ? stem.replace(/e$/, '') : stem;
}
