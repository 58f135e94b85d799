import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Models that anybody can serve, and that are the same wherever they are. */
export const openModelAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, efforts: ['low', 'medium', 'high'] },
];
