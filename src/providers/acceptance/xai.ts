import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Those that reason refuse stop sequences: reasoning page, as are the levels. */
const thinking: Partial<Acceptance> = { refuses: ['stop_sequences'] };

export const xaiAcceptance: readonly AcceptanceRule[] = [
  { models: /non-reasoning|^grok-2|^grok-3(?!-mini)/, thoughts: 'nowhere' },
  { models: /^grok-3-mini/, ...thinking, efforts: ['low', 'high'] },
  { models: /^grok-4\.20-multi-agent/, ...thinking, efforts: ['low', 'medium', 'high', 'xhigh'] },
  { models: /^grok-4\.3/, ...thinking, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^grok-4\.[5-7]/, ...thinking, efforts: ['low', 'medium', 'high'] },
  { models: /^/, ...thinking },
];
