import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Only the models listed on the structured outputs page accept a schema. */
const jsonObjectOnly: Partial<Acceptance> = { formats: ['json_object'] };

/** Levels: reasoning page. The API rejects unknown message fields. */
export const groqAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /llama-4|kimi-k2/, thinkingField: 'nowhere' },
  { models: /qwen/, ...jsonObjectOnly, thinkingField: 'reasoning', efforts: ['none', 'default'] },
  { models: /deepseek-r1/, ...jsonObjectOnly, thinkingField: 'reasoning' },
  { models: /^/, ...jsonObjectOnly, thinkingField: 'nowhere' },
];
