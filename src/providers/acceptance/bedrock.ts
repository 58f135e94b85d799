import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';
import { anthropicAcceptance } from './anthropic.ts';

/** What Converse takes of all models: its own reference. No model is held to a format by it. */
const converseAcceptance: Partial<Acceptance> = {
  formats: [],
  rejects: ['metadata'],
  thinkingField: 'nowhere',
  callIds: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, chars: 24 },
};

/** Claudes are asked in their own format. Levels: pages of the models. */
export const bedrockAcceptance: readonly AcceptanceRule[] = [
  ...anthropicAcceptance,
  { models: /gpt-oss/, ...converseAcceptance, efforts: ['low', 'medium', 'high'] },
  { models: /amazon\.nova-2/, ...converseAcceptance, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^/, ...converseAcceptance },
];
