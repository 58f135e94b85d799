import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** JSON output page: a schema is refused. */
const maker: Partial<Acceptance> = { formats: ['json_object'] };

/** Thinking mode page. */
export const deepseekAcceptance: readonly AcceptanceRule[] = [
  { models: /^deepseek-v[4-9]/, ...maker, efforts: ['low', 'medium', 'high', 'max'] },
  { models: /^/, ...maker },
];
