import type { Refusal } from '../../kernel/ports/prices.ts';

/** Whether a refusal before any output is billed; undefined if that can't be known. */
export function isRefusalBilled(model: string, { category }: Refusal): boolean | undefined {
  if (!/claude/i.test(model)) return true;
  return category === undefined ? undefined : category !== null && billedCategories.has(category);
}

/**
 * Anthropic bills a refusal before any output in these categories only, on every platform, since 24 September 2026:
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const billedCategories: ReadonlySet<string> = new Set(['bio', 'frontier_llm', 'reasoning_extraction']);
