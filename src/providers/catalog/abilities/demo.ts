import type { AbilityRule } from './ability-rule.ts';

/** The built-in model calls tools and answers with text. */
export const demoAbilities: readonly AbilityRule[] = [
  {
    models: /^/,
    checkedOn: '2026-11-17',
    tools: true,
    audio: false,
    video: false,
    reasoning: false,
    serverTools: false,
    searchOptions: false,
    severalAnswers: false,
    logProbabilities: false,
  },
];
