import { createHash } from 'node:crypto';
import { type Message, type Pattern, type Patterns, plain } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Relevant } from './relevance.ts';

/** What was decided for a place in a conversation: patterns that are there, those that are held out, and the text. */
export interface Decision {
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
const bareShare = 0.25;

/** The best that fit into the budget, but for those that this conversation is to go without. */
export function decide(
  relevant: readonly Relevant[],
  {
    budgetTokens,
    holdOut,
    place,
    patterns,
  }: { budgetTokens: number; holdOut: number; place: string; patterns: Patterns },
): Decision | undefined {
  const isBare = chance(place, '') < holdOut * bareShare;
  const lines: string[] = [];
  const [on, off]: [string[], string[]] = [[], []];
  let left = budgetTokens - tokensOf(opening + closing);
  for (const { pattern } of relevant) {
    const line = lineOf(pattern);
    if (tokensOf(line) > left || lines.includes(line)) continue;
    left -= tokensOf(line);
    if (isBare || chance(place, pattern.id) < patterns.holdOut(pattern, holdOut)) off.push(pattern.id);
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
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 3);
}

/** A message with the advice behind what it says. */
export function advised(message: Message, text: string): Message {
  const { content } = message;
  if (text === '') return message;
  return {
    ...message,
    content: typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }],
  };
}

/** As it came back from the ledger. */
export function toDecision(value: unknown): Decision | undefined {
  const { with: on, without, text, isBare } = Object(value);
  return Array.isArray(on) && Array.isArray(without) && typeof text === 'string'
    ? { with: on.map(String), without: without.map(String), text, isBare: isBare === true }
    : undefined;
}

/** What a forged one is about may hold what somebody pasted, and is for looking it up only. */
function lineOf({ trigger, advice, origin }: Pattern): string {
  const said = plain(advice, Number.POSITIVE_INFINITY);
  const about = origin === 'forge' ? '' : plain(trigger.text, limits.aboutCharactersMax);
  return about === '' ? `- ${said}` : `- On "${about}": ${said}`;
}

/** The same for a pattern in a conversation whoever asks, and evenly spread from 0 to 1. */
function chance(place: string, id: string): number {
  return createHash('sha256').update(`${place}\n${id}`).digest().readUInt32BE() / 2 ** 32;
}
