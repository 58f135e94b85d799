import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** Vectors and rankings, no chat models: https://api.jina.ai/redoc. */
export const jina = openaiCompatible({
  name: 'jina',
  title: 'Jina AI',
  baseUrl: 'https://api.jina.ai/v1',
  hasEndpointsOnly: true,
  hasOwnErrorFormat: true,
  keyPrefixes: ['jina_'],
  modelPrefixes: ['jina-'],
  endpoints: { embeddings: '/embeddings', rerank: '/rerank' },
  endpointForms: { embeddings: numbersForm },
});
