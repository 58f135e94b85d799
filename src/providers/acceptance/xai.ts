import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

/** Reasoning models reject stop sequences. Source of this and the levels: reasoning page. */
const xaiReasoning: Partial<Acceptance> = { rejects: ['stop_sequences'] };

export const xaiAcceptance: readonly AcceptanceRule[] = [
  { models: /non-reasoning|^grok-2|^grok-3(?!-mini)/, thinkingField: 'nowhere' },
  { models: /^grok-3-mini/, ...xaiReasoning, efforts: ['low', 'high'] },
  { models: /^grok-4\.20-multi-agent/, ...xaiReasoning, efforts: ['low', 'medium', 'high', 'xhigh'] },
  { models: /^grok-4\.3/, ...xaiReasoning, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^grok-4\.[5-7]/, ...xaiReasoning, efforts: ['low', 'medium', 'high'] },
  { models: /^/, ...xaiReasoning },
];
