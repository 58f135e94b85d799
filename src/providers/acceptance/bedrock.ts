import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';
import { anthropicAcceptance } from './anthropic.ts';

/** What Converse takes of all models: its own reference. No model is held to a format by it. */
const converse: Partial<Acceptance> = {
  formats: [],
  refuses: ['metadata'],
  thoughts: 'nowhere',
  callIds: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, chars: 24 },
};

/** Claudes are asked in their own format. Levels: pages of the models. */
export const bedrockAcceptance: readonly AcceptanceRule[] = [
  ...anthropicAcceptance,
  { models: /gpt-oss/, ...converse, efforts: ['low', 'medium', 'high'] },
  { models: /amazon\.nova-2/, ...converse, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^/, ...converse },
];
