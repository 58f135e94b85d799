import type { Abilities } from '../../../kernel/abilities.ts';
import type { AbilityRule } from './ability-rule.ts';

/** Text and images only, and one answer. */
const api: Partial<Abilities> = {
  documents: false,
  audio: false,
  stopSequences: true,
  severalAnswers: false,
};
const tools: Partial<Abilities> = { ...api, tools: true, forcedTool: true };

export const groqAbilities: readonly AbilityRule[] = [
  {
    models: /llama-4/,
    ...tools,
    structuredOutput: true,
    parallelTools: true,
    images: true,
    reasoning: false,
  },
  {
    models: /gpt-oss/,
    ...tools,
    structuredOutput: true,
    parallelTools: false,
    images: false,
    reasoning: true,
    serverTools: true,
  },
  { models: /qwen/, ...tools, parallelTools: true, images: false, reasoning: true },
  { models: /llama-3/, ...tools, parallelTools: true, images: false, reasoning: false },
  { models: /^(?:groq\/)?compound/, ...api, serverTools: true },
  { models: /^/, ...api },
];
