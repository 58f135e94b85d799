import { openaiCompatible } from './openai-compatible.ts';

export const xai = openaiCompatible({
  name: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyPrefixes: ['xai-'],
  modelPrefixes: ['grok-'],
  priceId: 'x-ai',
});
