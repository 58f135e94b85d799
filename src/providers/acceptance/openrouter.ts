import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** It leaves out by itself what the model behind it doesn't take: page on reasoning tokens. */
export const openrouterAcceptance: readonly AcceptanceRule[] = [
  {
    models: /^/,
    thinkingField: 'reasoning',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  },
];
