import type { AbilityRule } from './ability-rule.ts';

/** The built-in model calls tools and answers with text. */
export const demoAbilities: readonly AbilityRule[] = [
  {
    models: /^/,
    tools: true,
    audio: false,
    reasoning: false,
    serverTools: false,
    severalAnswers: false,
    logProbabilities: false,
  },
];
