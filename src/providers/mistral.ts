import { openaiCompatible } from './openai-compatible.ts';

export const mistral = openaiCompatible({
  name: 'mistral',
  title: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  modelPrefixes: ['mistral-', 'ministral-', 'magistral-', 'codestral-', 'devstral-', 'pixtral-'],
  priceId: 'mistral',
});
