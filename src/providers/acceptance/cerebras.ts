import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Reasoning page. GLM thinks unless it is told not to. */
export const cerebrasAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /glm/, thinkingField: 'reasoning', efforts: ['none'] },
  { models: /thinking|^qwen-3-(?!.*instruct|coder)/, thinkingField: 'reasoning' },
  { models: /^/, thinkingField: 'nowhere' },
];
