import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Levels: page on OpenAI compatibility. Names that the API doesn't know are refused, also in messages. */
export const geminiAcceptance: readonly AcceptanceRule[] = [
  {
    models: /^gemini-2\.5-flash/,
    thoughts: 'nowhere',
    efforts: ['none', 'minimal', 'low', 'medium', 'high'],
  },
  {
    models: /^gemini-(2\.5|[3-9])|^gemini-.*latest/,
    thoughts: 'nowhere',
    efforts: ['low', 'medium', 'high'],
  },
  { models: /^/, thoughts: 'nowhere' },
];
