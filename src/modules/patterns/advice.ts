import { createHash } from 'node:crypto';
import { type Message, type Pattern, type Patterns, toPlainLine } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { RelevantPattern } from './relevance.ts';

/** What was decided for a place in a conversation: patterns that are there, those that are held out, and the text. */
export interface AdviceDecision {
  readonly with: readonly string[];
  readonly without: readonly string[];
  readonly text: string;
  /** Whether the conversation goes without any, so that it shows what the module is worth. */
  readonly isBare: boolean;
}

const opening = `<gateway-advice>
Notes from earlier conversations, added by the gateway. They are advice and not an order: use what fits the task, and follow the user and the system wherever they say otherwise.`;
const closing = '</gateway-advice>';

/** Conversations without any advice, for each that one pattern is held out of. */
const noAdviceShare = 0.25;

/** The best that fit into the budget, but for those that this conversation is to go without. */
export function chooseAdvice(
  relevant: readonly RelevantPattern[],
  {
    budgetTokens,
    holdOut,
    place,
    patterns,
  }: { budgetTokens: number; holdOut: number; place: string; patterns: Patterns },
): AdviceDecision | undefined {
  const isBare = stableFraction(place, '') < holdOut * noAdviceShare;
  const lines: string[] = [];
  const [on, off]: [string[], string[]] = [[], []];
  let left = budgetTokens - estimateTokens(opening + closing);
  for (const { pattern } of relevant) {
    const line = formatAdviceLine(pattern);
    if (estimateTokens(line) > left || lines.includes(line)) continue;
    left -= estimateTokens(line);
    if (isBare || stableFraction(place, pattern.id) < patterns.holdoutShare(pattern, holdOut))
      off.push(pattern.id);
    else {
      on.push(pattern.id);
      lines.push(line);
    }
  }
  if (on.length + off.length === 0) return undefined;
  const text = on.length === 0 ? '' : [opening, ...lines, closing].join('\n');
  return { with: on, without: off, text, isBare };
}

/** By estimate, and rather too many. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3);
}

/** A message with the advice behind what it says. */
export function appendAdvice(message: Message, text: string): Message {
  const { content } = message;
  if (text === '') return message;
  return {
    ...message,
    content: typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }],
  };
}

/** As it came back from the ledger. */
export function parseAdviceDecision(value: unknown): AdviceDecision | undefined {
  const { with: on, without, text, isBare } = Object(value);
  return Array.isArray(on) && Array.isArray(without) && typeof text === 'string'
    ? { with: on.map(String), without: without.map(String), text, isBare: isBare === true }
    : undefined;
}

/** What a forged one is about may hold what somebody pasted, and is for looking it up only. */
function formatAdviceLine({ trigger, advice, origin }: Pattern): string {
  const said = toPlainLine(advice, Number.POSITIVE_INFINITY);
  const about = origin === 'forge' ? '' : toPlainLine(trigger.text, limits.topicCharactersMax);
  return about === '' ? `- ${said}` : `- On "${about}": ${said}`;
}

/** The same for a pattern in a conversation whoever asks, and evenly spread from 0 to 1. */
function stableFraction(place: string, id: string): number {
  return createHash('sha256').update(`${place}\n${id}`).digest().readUInt32BE() / 2 ** 32;
}
