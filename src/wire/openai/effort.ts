import type { ChatRequest } from '../../kernel/message.ts';

/** How hard to think, in OpenAI's levels: said as such, or as a budget. Thinking left to the model asks for nothing. */
export function effortOf(
  { model, output_config: config, thinking }: ChatRequest,
  dropped: Set<string>,
): string | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const effort = config?.effort ?? (budget === undefined ? undefined : levelFor(budget));
  if (effort === undefined) return undefined;
  if (!/^(gpt-[34]|chatgpt-)/.test(model)) return effort === 'max' ? 'xhigh' : effort;
  dropped.add(config?.effort == null ? 'thinking' : 'output_config.effort');
  return undefined;
}

function levelFor(budgetTokens: number): string {
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}
