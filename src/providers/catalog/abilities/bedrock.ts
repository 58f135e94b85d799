import type { AbilityRule } from './ability-rule.ts';
import { anthropicAbilities } from './anthropic.ts';

/** Claude models read the same as at Anthropic; which of Anthropic's own tools run there is unknown. */
export const bedrockAbilities: readonly AbilityRule[] = [
  ...anthropicAbilities.map((rule) => ({ ...rule, serverTools: 'unknown' as const })),
  {
    models: /^/,
    source:
      'https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html',
    checkedOn: '2026-11-17',
    searchOptions: false,
    severalAnswers: false,
    logProbabilities: false,
  },
];
