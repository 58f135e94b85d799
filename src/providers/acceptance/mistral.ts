import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

const maker: Partial<Acceptance> = {
  refuses: ['metadata'],
  callIds: { pattern: /^[a-zA-Z0-9]{9}$/, chars: 9 },
  lastWords: 'prefix',
};
const thinking: Partial<Acceptance> = { ...maker, thoughts: 'parts' };

/** Levels: reasoning page. Fields that the API doesn't know are refused, `user` among them. */
export const mistralAcceptance: readonly AcceptanceRule[] = [
  { models: /^mistral-large-4/, ...thinking, efforts: ['low', 'medium', 'high'] },
  { models: /^mistral-small-(latest|26|4)/, ...thinking, efforts: ['none', 'high'] },
  { models: /^mistral-medium-(latest|3[-.]5|26)/, ...thinking, efforts: ['none', 'high'] },
  { models: /^magistral/, ...thinking },
  { models: /^/, ...maker, thoughts: 'nowhere' },
];
