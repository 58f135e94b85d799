import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** The API rejects schemas: JSON output page. */
const deepseekDefaults: Partial<Acceptance> = { formats: ['json_object'] };

/** Source: thinking mode page. */
export const deepseekAcceptance: readonly AcceptanceRule[] = [
  { models: /^deepseek-v[4-9]/, ...deepseekDefaults, efforts: ['low', 'medium', 'high', 'max'] },
  { models: /^/, ...deepseekDefaults },
];
