import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

const mistralDefaults: Partial<Acceptance> = {
  rejects: ['metadata'],
  callIds: { pattern: /^[a-zA-Z0-9]{9}$/, chars: 9 },
  prefill: 'prefix',
};
const mistralReasoning: Partial<Acceptance> = { ...mistralDefaults, thinkingField: 'parts' };

/** Levels: reasoning page. The API rejects unknown fields, including `user`. */
export const mistralAcceptance: readonly AcceptanceRule[] = [
  { models: /^mistral-large-4/, ...mistralReasoning, efforts: ['low', 'medium', 'high'] },
  { models: /^mistral-small-(latest|26|4)/, ...mistralReasoning, efforts: ['none', 'high'] },
  { models: /^mistral-medium-(latest|3[-.]5|26)/, ...mistralReasoning, efforts: ['none', 'high'] },
  { models: /^magistral/, ...mistralReasoning },
  { models: /^/, ...mistralDefaults, thinkingField: 'nowhere' },
];
