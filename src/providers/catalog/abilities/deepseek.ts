import type { AbilityRule } from './ability-rule.ts';

/** Text only. Recorded calls force tools, use several at once and have log probabilities. */
export const deepseekAbilities: readonly AbilityRule[] = [
  {
    models: /^/,
    tools: true,
    forcedTool: true,
    parallelTools: true,
    logProbabilities: true,
    images: false,
    documents: false,
    audio: false,
    serverTools: false,
    stopSequences: true,
    severalAnswers: false,
  },
];
