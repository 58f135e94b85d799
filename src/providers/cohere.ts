import { cohereForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** The endpoints of Cohere's own API; Weir has no form of its chat models: https://docs.cohere.com/reference/about. */
export const cohere = openaiCompatible({
  name: 'cohere',
  title: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  hasEndpointsOnly: true,
  hasOwnErrorFormat: true,
  keyTest: { path: '/v1/models?page_size=1' },
  modelPrefixes: ['embed-', 'rerank-v', 'rerank-english', 'rerank-multilingual'],
  endpoints: { embeddings: '/v2/embed', cohere_embeddings: '/v2/embed', rerank: '/v2/rerank' },
  endpointForms: { embeddings: cohereForm },
  priceId: 'cohere',
});
