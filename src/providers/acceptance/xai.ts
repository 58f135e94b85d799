import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Those that reason refuse stop sequences: reasoning page, as are the levels. */
const xaiReasoning: Partial<Acceptance> = { rejects: ['stop_sequences'] };

export const xaiAcceptance: readonly AcceptanceRule[] = [
  { models: /non-reasoning|^grok-2|^grok-3(?!-mini)/, thinkingField: 'nowhere' },
  { models: /^grok-3-mini/, ...xaiReasoning, efforts: ['low', 'high'] },
  { models: /^grok-4\.20-multi-agent/, ...xaiReasoning, efforts: ['low', 'medium', 'high', 'xhigh'] },
  { models: /^grok-4\.3/, ...xaiReasoning, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^grok-4\.[5-7]/, ...xaiReasoning, efforts: ['low', 'medium', 'high'] },
  { models: /^/, ...xaiReasoning },
];
