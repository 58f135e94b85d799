import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { openModelAcceptance } from './acceptance/open-models.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const fireworks = openaiCompatible({
  name: 'fireworks',
  title: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  accepts: openModelAcceptance,
  streamUsage: 'unasked',
  keyPrefixes: ['fw_'],
  modelPrefixes: ['accounts/fireworks/'],
  endpoints: { embeddings: '/embeddings' },
  endpointForms: { embeddings: numbersForm },
  priceId: 'fireworks',
});
