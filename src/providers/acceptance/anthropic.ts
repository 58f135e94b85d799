import { type Acceptance, type AcceptanceRule, effortLevels } from '../../kernel/acceptance.ts';

/** Models up to 4.5 think within a budget, and have no effort, except for Opus 4.5: effort and adaptive thinking pages. */
const budgetOnly: Partial<Acceptance> = { rejectedEfforts: effortLevels, rejectedThinking: ['adaptive'] };

/**
 * Models since Opus 4.1 reject temperature together with top_p (API error text) and accept schemas (structured outputs
 * page).
 */
export const anthropicAcceptance: readonly AcceptanceRule[] = [
  { models: /claude-(?:[123]|v\d|instant)/, ...budgetOnly, formats: [] },
  { models: /claude-(?:opus|sonnet)-4(?:-0|[-@]20\d{6})?$/, ...budgetOnly, formats: [] },
  { models: /claude-(?:opus-4[-.]1|(?:sonnet|haiku)-4[-.]5)(?!\d)/, ...budgetOnly, samplers: 'one' },
  {
    models: /claude-opus-4[-.]5(?!\d)/,
    samplers: 'one',
    rejectedEfforts: ['none', 'minimal', 'xhigh', 'max'],
    rejectedThinking: ['adaptive'],
  },
  {
    models: /claude-(?:opus|sonnet)-4[-.]6(?!\d)/,
    samplers: 'one',
    rejectedEfforts: ['none', 'minimal', 'xhigh'],
  },
  {
    models: /claude-(?:opus-4[-.][78]|[a-z]+-[5-9])(?!\d)/,
    samplers: 'one',
    rejectedEfforts: ['none', 'minimal'],
    rejectedThinking: ['enabled'],
  },
  { models: /claude/, samplers: 'one' },
];
