import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Thinking mode page. */
export const deepseekAcceptance: readonly AcceptanceRule[] = [
  { models: /^deepseek-v[4-9]/, efforts: ['low', 'medium', 'high', 'max'] },
];
