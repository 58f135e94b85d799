import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/**
 * Models since Opus 4.1 reject temperature together with top_p (API error text) and accept schemas (structured outputs
 * page).
 */
export const anthropicAcceptance: readonly AcceptanceRule[] = [
  { models: /claude-(?:[123]|v\d|instant)/, formats: [] },
  { models: /claude-(?:opus|sonnet)-4(?:-0|[-@]20\d{6})?$/, formats: [] },
  { models: /claude/, samplers: 'one' },
];
