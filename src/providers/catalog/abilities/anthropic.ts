import type { FactSource } from '../../../kernel/ports/candidates.ts';
import type { AbilityRule } from './ability-rule.ts';

const facts: FactSource = {
  source: 'https://platform.claude.com/docs/en/build-with-claude/overview',
  checkedOn: '2026-11-18',
};

/** There is one answer, without log probabilities; no model reads audio or films. */
const api = {
  ...facts,
  audio: false,
  video: false,
  searchOptions: false,
  severalAnswers: false,
  logProbabilities: false,
  stopSequences: true,
} satisfies Partial<AbilityRule>;
const tools = {
  ...api,
  tools: true,
  forcedTool: true,
  // Extended thinking page.
  forcedToolWithThinking: false,
  parallelTools: true,
  images: true,
} satisfies Partial<AbilityRule>;

const current = {
  structuredOutput: true,
  documents: true,
  reasoning: true,
  serverTools: true,
} satisfies Partial<AbilityRule>;

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
