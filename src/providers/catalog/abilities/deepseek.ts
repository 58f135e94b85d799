import type { AbilityRule } from './ability-rule.ts';

/** Text only. Tools can't be forced in thinking mode. Recorded calls use several tools at once and have log probabilities. */
export const deepseekAbilities: readonly AbilityRule[] = [
  {
    models: /^/,
    source: 'https://api-docs.deepseek.com/guides/thinking_mode',
    checkedOn: '2026-11-18',
    tools: true,
    forcedTool: true,
    forcedToolWithThinking: false,
    parallelTools: true,
    logProbabilities: true,
    images: false,
    documents: false,
    audio: false,
    video: false,
    serverTools: false,
    searchOptions: false,
    stopSequences: true,
    severalAnswers: false,
  },
];
