import { openaiChat, openaiResponses } from '../wire/index.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const xai = openaiCompatible({
  name: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  wires: [openaiChat, openaiResponses],
  keyPrefixes: ['xai-'],
  modelPrefixes: ['grok-'],
  priceId: 'x-ai',
});
