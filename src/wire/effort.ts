import type { ChatRequest } from '../kernel/message.ts';

/** The requested effort or thinking budget as a level that the model supports; undefined for adaptive thinking. */
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

/** The same level, else the next lower, else the lowest; never turns requested thinking off. */
function nearestEffort(asked: string, known: readonly string[]): string | undefined {
  if (known.includes(asked)) return asked;
  const thinking = known.filter((level) => level !== 'none');
  const at = effortLevels.indexOf(asked);
  if (at < 0) return undefined;
  // A model that only supports on and off.
  if (thinking.includes('default')) return asked === 'none' ? undefined : 'default';
  return thinking.findLast((level) => effortLevels.indexOf(level) < at) ?? thinking[0];
}
