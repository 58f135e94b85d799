import { voyageForm } from '../wire/endpoints/embedding-forms.ts';
import { voyageRerankForm } from '../wire/endpoints/rerank.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** Vectors and rankings, no chat models: https://docs.voyageai.com/reference. */
export const voyage = openaiCompatible({
  name: 'voyage',
  title: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  hasEndpointsOnly: true,
  hasOwnErrorFormat: true,
  keyPrefixes: ['pa-'],
  modelPrefixes: ['voyage-', 'rerank-2', 'rerank-3'],
  endpoints: { embeddings: '/embeddings', rerank: '/rerank' },
  endpointForms: { embeddings: voyageForm, rerank: voyageRerankForm },
  priceId: 'voyageai',
});
