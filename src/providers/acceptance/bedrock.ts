import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';
import { anthropicAcceptance } from './anthropic.ts';

/** What Converse accepts for all models (API reference). It enforces no output format. */
const converseAcceptance: Partial<Acceptance> = {
  formats: [],
  rejects: ['metadata'],
  thinkingField: 'nowhere',
  callIds: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, chars: 24 },
};

/** Claude models are called in Anthropic's format, not through Converse. Levels: model pages. */
export const bedrockAcceptance: readonly AcceptanceRule[] = [
  ...anthropicAcceptance,
  { models: /gpt-oss/, ...converseAcceptance, efforts: ['low', 'medium', 'high'] },
  { models: /amazon\.nova-2/, ...converseAcceptance, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^/, ...converseAcceptance },
];
