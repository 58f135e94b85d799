import type { Abilities } from '../../../kernel/abilities.ts';
import type { AbilityRule } from './ability-rule.ts';

/** There is one answer, without log probabilities; no model reads audio. */
const api: Partial<Abilities> = {
  audio: false,
  severalAnswers: false,
  logProbabilities: false,
  stopSequences: true,
};
const tools: Partial<Abilities> = {
  ...api,
  tools: true,
  forcedTool: true,
  parallelTools: true,
  images: true,
};

const current: Partial<Abilities> = {
  structuredOutput: true,
  documents: true,
  reasoning: true,
  serverTools: true,
};

export const anthropicAbilities: readonly AbilityRule[] = [
  { models: /claude-(?:[12]|v\d|instant)/, ...api, tools: false, images: false, reasoning: false },
  {
    models: /claude-3-(?:opus|sonnet|haiku)/,
    ...tools,
    documents: false,
    reasoning: false,
    serverTools: false,
  },
  { models: /claude-3[-.]5/, ...tools, documents: true, reasoning: false },
  // Models since Fable 5.1 reject forced tools, except for Haiku: migration guides.
  {
    models: /claude-(?:(?:fable|mythos)-5[-.][1-9]|(?:opus|sonnet)-5[-.]5)/,
    ...tools,
    ...current,
    forcedTool: false,
  },
  { models: /claude/, ...tools, ...current },
];
