import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Levels: reasoning page. Any field that a message has beyond those of the API is refused. */
export const groqAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thoughts: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /qwen/, thoughts: 'reasoning', efforts: ['none', 'default'] },
  { models: /deepseek-r1/, thoughts: 'reasoning' },
  { models: /^/, thoughts: 'nowhere' },
];
