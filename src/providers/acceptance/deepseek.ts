import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** JSON output page: a schema is refused. */
const deepseekDefaults: Partial<Acceptance> = { formats: ['json_object'] };

/** Thinking mode page. */
export const deepseekAcceptance: readonly AcceptanceRule[] = [
  { models: /^deepseek-v[4-9]/, ...deepseekDefaults, efforts: ['low', 'medium', 'high', 'max'] },
  { models: /^/, ...deepseekDefaults },
];
