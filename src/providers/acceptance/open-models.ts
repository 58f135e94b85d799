import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Open-weight models behave the same at every provider. */
export const openModelAcceptance: readonly AcceptanceRule[] = [
  { models: /gpt-oss/, efforts: ['low', 'medium', 'high'] },
];
