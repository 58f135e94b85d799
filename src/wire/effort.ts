import { effortLevels } from '../kernel/acceptance.ts';
import type { ChatRequest } from '../kernel/message.ts';

/** The requested effort or thinking budget as a level that the model supports; undefined for adaptive thinking. */
export function effortOf(
  { output_config: config, thinking }: ChatRequest,
  supported: readonly string[],
  dropped: Set<string>,
): string | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const requested = config?.effort ?? (budget === undefined ? undefined : effortForBudget(budget));
  if (requested === undefined) return undefined;
  const level = nearestEffort(requested, supported);
  const cannotDisable = requested === 'none' && level !== 'none';
  if (level === undefined || cannotDisable)
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

/** The same level, else the next lower, else the lowest; never turns requested thinking off. */
function nearestEffort(requested: string, supported: readonly string[]): string | undefined {
  if (supported.includes(requested)) return requested;
  const thinking = supported.filter((level) => level !== 'none');
  const at = effortLevels.indexOf(requested);
  if (at < 0) return undefined;
  // A model that only supports on and off.
  if (thinking.includes('default')) return requested === 'none' ? undefined : 'default';
  return thinking.findLast((level) => effortLevels.indexOf(level) < at) ?? thinking[0];
}
