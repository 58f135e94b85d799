import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Reasoning page. GLM thinks unless it is told not to. */
export const cerebrasAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thoughts: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /glm/, thoughts: 'reasoning', efforts: ['none'] },
  { models: /thinking|^qwen-3-(?!.*instruct|coder)/, thoughts: 'reasoning' },
  { models: /^/, thoughts: 'nowhere' },
];
