import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Source: reasoning page. GLM thinks by default. */
export const cerebrasAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /glm/, thinkingField: 'reasoning', efforts: ['none'] },
  { models: /thinking|^qwen-3-(?!.*instruct|coder)/, thinkingField: 'reasoning' },
  { models: /^/, thinkingField: 'nowhere' },
];
