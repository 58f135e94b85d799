import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { vllmAcceptance } from './acceptance/vllm.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const vllm = openaiCompatible({
  name: 'vllm',
  title: 'vLLM',
  baseUrl: 'http://127.0.0.1:8000/v1',
  accepts: vllmAcceptance,
  streamUsage: 'asked',
  keyless: true,
  free: true,
  endpoints: { embeddings: '/embeddings', transcriptions: '/audio/transcriptions', rerank: '/rerank' },
  endpointForms: { embeddings: numbersForm },
});
