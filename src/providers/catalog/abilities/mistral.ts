import type { Abilities } from '../../../kernel/abilities.ts';
import type { AbilityRule } from './ability-rule.ts';

const api: Partial<Abilities> = {
  tools: true,
  structuredOutput: true,
  forcedTool: true,
  parallelTools: true,
  stopSequences: true,
  severalAnswers: true,
  logProbabilities: false,
};

export const mistralAbilities: readonly AbilityRule[] = [
  { models: /^voxtral/, ...api, audio: true },
  {
    models: /^(?:pixtral|mistral-(?:small|medium|large)-latest|ministral)/,
    ...api,
    images: true,
    documents: true,
    audio: false,
  },
  { models: /^magistral/, ...api, audio: false, reasoning: true },
  { models: /^(?:mistral|codestral|devstral|open-mi)/, ...api, audio: false },
];
