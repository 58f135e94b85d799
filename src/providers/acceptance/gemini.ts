import type { AcceptanceRule } from '../../kernel/acceptance.ts';

/** Levels: thinking page. Image and speech models accept none. */
export const geminiAcceptance: readonly AcceptanceRule[] = [
  { models: /^gemini-.*(image|tts|audio|live)/, thinkingField: 'nowhere' },
  {
    models: /^gemini-2\.5-flash/,
    thinkingField: 'nowhere',
    efforts: ['none', 'minimal', 'low', 'medium', 'high'],
  },
  { models: /^gemini-3-pro/, thinkingField: 'nowhere', efforts: ['low', 'high'] },
  {
    models: /^gemini-([3-9]|\d\d).*flash|^gemini-flash.*latest/,
    thinkingField: 'nowhere',
    efforts: ['minimal', 'low', 'medium', 'high'],
  },
  {
    models: /^gemini-(2\.5|[3-9]|\d\d)|^gemini-.*latest/,
    thinkingField: 'nowhere',
    efforts: ['low', 'medium', 'high'],
  },
  { models: /^gemma-[23]/, thinkingField: 'nowhere', formats: [] },
  { models: /^/, thinkingField: 'nowhere' },
];
