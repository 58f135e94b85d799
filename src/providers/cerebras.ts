import { cerebrasAcceptance } from './acceptance/cerebras.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const cerebras = openaiCompatible({
  name: 'cerebras',
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  accepts: cerebrasAcceptance,
  streamUsage: 'unasked',
  keyPrefixes: ['csk-'],
  priceId: 'cerebras',
});
