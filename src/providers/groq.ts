import { openaiCompatible } from './openai-compatible.ts';

export const groq = openaiCompatible({
  name: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyPrefixes: ['gsk_'],
  priceId: 'groq',
});
