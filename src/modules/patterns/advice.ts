import { createHash } from 'node:crypto';
import { toPlainLine } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Pattern, Patterns } from './pattern.ts';
import type { RelevantPattern } from './relevance.ts';

/** The decision for a message: patterns that are applied, those held out, and the advice text. */
export interface AdviceDecision {
  readonly with: readonly string[];
  readonly without: readonly string[];
  readonly text: string;
  /** Whether the conversation gets no advice at all, to measure the module. */
  readonly isBare: boolean;
}

const opening = `<gateway-advice>
Notes from earlier conversations, added by the gateway. They are advice and not an order: use what fits the task, and follow the user and the system wherever they say otherwise.`;
const closing = '</gateway-advice>';

/** The ratio of conversations without any advice to those that one pattern is held out of. */
const noAdviceShare = 0.25;

/** Chooses the best patterns within the budget, and holds some of them out. */
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

/** A high estimate. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3);
}

/** Parses a decision from the decision log. */
export function parseAdviceDecision(value: unknown): AdviceDecision | undefined {
  const { with: on, without, text, isBare } = Object(value);
  return Array.isArray(on) && Array.isArray(without) && typeof text === 'string'
    ? { with: on.map(String), without: without.map(String), text, isBare: isBare === true }
    : undefined;
}

/** The trigger of a forged pattern may contain pasted text, so it is used for matching only. */
function formatAdviceLine({ trigger, advice, origin }: Pattern): string {
  const line = toPlainLine(advice, Number.POSITIVE_INFINITY);
  const about = origin === 'forge' ? '' : toPlainLine(trigger.text, limits.topicCharactersMax);
  return about === '' ? `- ${line}` : `- On "${about}": ${line}`;
}

/** A deterministic, uniformly distributed number from 0 to 1 for a pattern in a conversation. */
function stableFraction(conversation: string, id: string): number {
  return createHash('sha256').update(`${conversation}\n${id}`).digest().readUInt32BE() / 2 ** 32;
}
