import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { openModelAcceptance } from './acceptance/open-models.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const together = openaiCompatible({
  name: 'together',
  title: 'Together AI',
  baseUrl: 'https://api.together.xyz/v1',
  accepts: openModelAcceptance,
  streamUsage: 'unasked',
  keyPrefixes: ['tgp_'],
  endpoints: {
    embeddings: '/embeddings',
    images: '/images/generations',
    transcriptions: '/audio/transcriptions',
    speech: '/audio/speech',
    rerank: '/rerank',
  },
  endpointForms: { embeddings: numbersForm },
  priceId: 'together',
});
