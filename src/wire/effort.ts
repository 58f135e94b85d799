import type { ChatRequest } from '../kernel/message.ts';

/** How hard to think, in a level that the model knows: said as such, or as a budget. Thinking left to it asks for nothing. */
export function effortOf(
  { output_config: config, thinking }: ChatRequest,
  known: readonly string[],
  dropped: Set<string>,
): string | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const asked = config?.effort ?? (budget === undefined ? undefined : effortForBudget(budget));
  if (asked === undefined) return undefined;
  const level = nearestEffort(asked, known);
  const turnedOn = asked === 'none' && level !== 'none';
  if (level === undefined || turnedOn)
    dropped.add(config?.effort == null ? 'thinking' : 'output_config.effort');
  return level;
}

export function isReasoningEnabled(effort: string | undefined): boolean {
  return effort !== undefined && effort !== 'none';
}

function effortForBudget(budgetTokens: number): string {
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}

const effortLevels: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The same, else the next one below, else the least above; thinking that was asked for is not turned off. */
function nearestEffort(asked: string, known: readonly string[]): string | undefined {
  if (known.includes(asked)) return asked;
  const thinking = known.filter((level) => level !== 'none');
  const at = effortLevels.indexOf(asked);
  if (at < 0) return undefined;
  // A model that knows on and off alone.
  if (thinking.includes('default')) return asked === 'none' ? undefined : 'default';
  return thinking.findLast((level) => effortLevels.indexOf(level) < at) ?? thinking[0];
}
