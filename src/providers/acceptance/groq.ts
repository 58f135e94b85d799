import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Page on structured outputs: a schema is taken by the models that it names alone. */
const anyJson: Partial<Acceptance> = { formats: ['json_object'] };

/** Levels: reasoning page. Any field that a message has beyond those of the API is refused. */
export const groqAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, thoughts: 'reasoning', efforts: ['low', 'medium', 'high'] },
  { models: /llama-4|kimi-k2/, thoughts: 'nowhere' },
  { models: /qwen/, ...anyJson, thoughts: 'reasoning', efforts: ['none', 'default'] },
  { models: /deepseek-r1/, ...anyJson, thoughts: 'reasoning' },
  { models: /^/, ...anyJson, thoughts: 'nowhere' },
];
