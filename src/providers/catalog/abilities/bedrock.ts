import type { AbilityRule } from './ability-rule.ts';
import { anthropicAbilities } from './anthropic.ts';

/** Claude models read the same as at Anthropic; which of Anthropic's own tools run there is unknown. */
export const bedrockAbilities: readonly AbilityRule[] = [
  ...anthropicAbilities.map((rule) => ({ ...rule, serverTools: 'unknown' as const })),
  { models: /^/, severalAnswers: false, logProbabilities: false },
];
