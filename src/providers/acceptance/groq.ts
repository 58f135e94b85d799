import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Page on structured outputs: a schema is taken by the models that it names alone. */
const jsonObjectOnly: Partial<Acceptance> = { formats: ['json_object'] };

/** Levels: reasoning page. Any field that a message has beyond those of the API is refused. */
export const groqAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thinkingField: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /llama-4|kimi-k2/, thinkingField: 'nowhere' },
  { models: /qwen/, ...jsonObjectOnly, thinkingField: 'reasoning', efforts: ['none', 'default'] },
  { models: /deepseek-r1/, ...jsonObjectOnly, thinkingField: 'reasoning' },
  { models: /^/, ...jsonObjectOnly, thinkingField: 'nowhere' },
];
