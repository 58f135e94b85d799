import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Models without thinking reject an effort level. */
export const ollamaAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  {
    models: /^(?!.*(instruct|coder)).*(deepseek-r1|deepseek-v3\.[12]|qwen3|magistral|thinking)/,
    thinkingField: 'reasoning',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  { models: /^/, thinkingField: 'reasoning' },
];
