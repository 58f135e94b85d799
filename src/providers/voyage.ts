import { voyageForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** Vectors and rankings, no chat models: https://docs.voyageai.com/reference. */
export const voyage = openaiCompatible({
  name: 'voyage',
  title: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  hasEndpointsOnly: true,
  hasOwnErrorFormat: true,
  keyPrefixes: ['pa-'],
  modelPrefixes: ['voyage-'],
  endpoints: { embeddings: '/embeddings' },
  endpointForms: { embeddings: voyageForm },
  priceId: 'voyageai',
});
