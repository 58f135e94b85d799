import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/**
 * Since Opus 4.1, temperature and top_p are not taken together: the API's own words. Schemas are taken since then as well:
 * page on structured outputs.
 */
export const anthropicAcceptance: readonly AcceptanceRule[] = [
  { models: /claude-(?:[123]|v\d|instant)/, formats: [] },
  { models: /claude-(?:opus|sonnet)-4(?:-0|[-@]20\d{6})?$/, formats: [] },
  { models: /claude/, samplers: 'one' },
];
