import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiChat, openaiResponses } from '../wire/index.ts';
import { openrouterAcceptance } from './acceptance/openrouter.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const openrouter = openaiCompatible({
  name: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  accepts: openrouterAcceptance,
  streamUsage: 'unasked',
  wires: [openaiChat, openaiResponses],
  keyPrefixes: ['sk-or-'],
  // Routers and trial models; all others have their maker's name as prefix.
  ownNames: /^openrouter\/[^/]+$/,
  // Its model list needs no key.
  keyTest: { path: '/key' },
  reportsCost: true,
  endpoints: { embeddings: '/embeddings' },
  endpointForms: { embeddings: numbersForm },
  priceId: 'openrouter',
});
