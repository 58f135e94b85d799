import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** OpenRouter itself drops what the model doesn't accept: reasoning tokens page. */
export const openrouterAcceptance: readonly AcceptanceRule[] = [
  {
    models: /^/,
    thinkingField: 'reasoning',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  },
];
