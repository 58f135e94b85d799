import { openaiChat, openaiResponses } from '../wire/index.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const openrouter = openaiCompatible({
  name: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  streamUsage: 'unasked',
  wires: [openaiChat, openaiResponses],
  keyPrefixes: ['sk-or-'],
  reportsCost: true,
  priceId: 'openrouter',
});
