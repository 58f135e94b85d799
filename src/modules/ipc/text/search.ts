import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Message,
  type MessagePassage,
  passagesOf,
  scoreByWords,
  scoreSalience,
} from '../../../module-api.ts';
import { neighborShare } from '../limits.ts';

interface SearchPassage extends MessagePassage {
  /** The index of its message. */
  readonly at: number;
}

export interface SearchOptions {
  /** The maximum size of the result. */
  readonly chars: number;
  /** Whether passages must come from all parts of the conversation. */
  readonly isBroad?: boolean;
}

/** The passages most relevant to a query, in conversation order. */
export async function searchMessages(
  messages: readonly Message[],
  query: string,
  { chars, isBroad = asksForBreadth(query) }: SearchOptions,
): Promise<string> {
  const passages = passagesIn(messages);
  await nextTurn();
  const texts = passages.map(({ text }) => text);
  const scores = await scoreByWords(texts, isBroad ? query.replace(breadthWords, '') : query);
  const near = scores.map(
    (score, at) => score + neighborShare * Math.max(scores[at - 1] ?? 0, scores[at + 1] ?? 0),
  );
  const kept = isBroad ? selectBroadly(passages, near, chars) : selectBest(passages, near, chars);
  return passages
    .filter((_, at) => kept.has(at))
    .map(({ at, speaker, text }) => `[${at + 1}] ${speaker}: ${isBroad ? truncate(text, broadChars) : text}`)
    .join('\n');
}

function selectBest(
  passages: readonly SearchPassage[],
  near: readonly number[],
  chars: number,
): ReadonlySet<number> {
  const kept = new Set<number>();
  let left = chars;
  for (const at of [...near.keys()].sort((one, other) => (near[other] ?? 0) - (near[one] ?? 0))) {
    const cost = (passages[at]?.text.length ?? 0) + lineChars;
    if ((near[at] ?? 0) <= 0) break;
    if (cost > left) continue;
    left -= cost;
    kept.add(at);
  }
  return kept;
}

/** The best passages, fewer of each part of the conversation the more it has already. If little matches the query, the most salient ones. */
function selectBroadly(
  passages: readonly SearchPassage[],
  near: readonly number[],
  chars: number,
): ReadonlySet<number> {
  const matches = near.filter((score) => score > 0).length;
  const worth = (matches >= partCount ? near : salienceOf(passages)).map(
    (one, at) => one * speakerWeights[passages[at]?.speaker ?? 'Tool'],
  );
  const length = (passages.at(-1)?.at ?? 0) + 1;
  const parts = Array.from({ length: partCount }, (): number[] => []);
  for (const [at, passage] of passages.entries())
    if ((worth[at] ?? 0) > 0) parts[Math.floor((passage.at / length) * partCount)]?.push(at);
  for (const part of parts) part.sort((one, other) => (worth[other] ?? 0) - (worth[one] ?? 0));
  const ranked = parts.flatMap((part) =>
    part.map((at, nth) => ({ at, rank: (worth[at] ?? 0) * repeatedPartShare ** nth })),
  );
  ranked.sort((one, other) => other.rank - one.rank);
  const kept = new Set<number>();
  let left = chars;
  for (const { at } of ranked) {
    const cost = Math.min(passages[at]?.text.length ?? 0, broadChars) + lineChars;
    if (cost > left) break;
    left -= cost;
    kept.add(at);
  }
  return kept;
}

function salienceOf(passages: readonly SearchPassage[]): readonly number[] {
  const said = passages.map(({ at, speaker, text }) => ({
    at,
    speaker: speaker === 'Call' ? ('Tool' as const) : speaker,
    text: truncate(text, broadChars),
    followsQuestion: false,
  }));
  return scoreSalience(said);
}

/** The number of parts of a conversation that each contribute to a broad result. */
const partCount = 12;
/** What users say shows the course of a conversation best, tool results least. */
const speakerWeights = { User: 1.5, Assistant: 1, Call: 0.5, Tool: 0.5 } as const;
/** What each passage of a part leaves of the worth of the next one. */
const repeatedPartShare = 0.93;
/** The length of a passage in a broad result. */
const broadChars = 320;

/** Whether a query is about the course of the conversation: a summary, an order, a list. */
function asksForBreadth(query: string): boolean {
  return breadthPattern.test(query);
}

/** Words that ask for breadth, and name no topic. */
const breadthWords =
  /\b(summar\w*|overview|recap|outline|timeline|chronolog\w*|sequence|order|conversation|session|discuss\w*|mention\w*|talk\w*|ask\w*|everything|list|all|far|topics?|time|step|user|assistant)\b/gi;

const breadthPattern =
  /\b(summar(y|i[sz]e)|overview|recap|outline|timeline|chronolog|sequence|in (which|what) order|order in which|over time|throughout|so far|from (start|beginning)|everything|step by step|walk me through|list (all|every))/i;

function truncate(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
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

function passagesIn(messages: readonly Message[]): readonly SearchPassage[] {
  return messages.flatMap((message, at) => passagesOf(message).map((passage) => ({ ...passage, at })));
}
