import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Models that can't think refuse to be told how hard. */
export const ollamaAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  {
    models: /^(?!.*(instruct|coder)).*(deepseek-r1|deepseek-v3\.[12]|qwen3|magistral|thinking)/,
    thinkingField: 'reasoning',
    efforts: ['none', 'low', 'medium', 'high'],
  },
  { models: /^/, thinkingField: 'reasoning' },
];
