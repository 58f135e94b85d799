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
  // Routers and models in trial; all others have their maker's name in front.
  ownNames: /^openrouter\/[^/]+$/,
  // Its list of models is for everybody.
  keyTest: { path: '/key' },
  reportsCost: true,
  priceId: 'openrouter',
});
