import type { AbilityRule } from './ability-rule.ts';

const api = {
  source: 'https://docs.mistral.ai/getting-started/models',
  checkedOn: '2026-11-17',
  video: false,
  searchOptions: false,
  tools: true,
  structuredOutput: true,
  forcedTool: true,
  parallelTools: true,
  stopSequences: true,
  severalAnswers: true,
  logProbabilities: false,
} satisfies Partial<AbilityRule>;

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
