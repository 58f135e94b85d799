import { mistralForm } from '../wire/endpoints/embedding-forms.ts';
import { mistralAcceptance } from './acceptance/mistral.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const mistral = openaiCompatible({
  name: 'mistral',
  telemetryName: 'mistral_ai',
  title: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  accepts: mistralAcceptance,
  streamUsage: 'unasked',
  modelPrefixes: ['mistral-', 'ministral-', 'magistral-', 'codestral-', 'devstral-', 'pixtral-'],
  // https://docs.mistral.ai/api/endpoint/files
  endpoints: {
    embeddings: '/embeddings',
    files: '/files',
    transcriptions: '/audio/transcriptions',
    moderations: '/moderations',
  },
  endpointForms: { embeddings: mistralForm },
  priceId: 'mistral',
});
