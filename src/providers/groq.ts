import { openaiChat, openaiResponses } from '../wire/index.ts';
import { groqAcceptance } from './acceptance/groq.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const groq = openaiCompatible({
  name: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  accepts: groqAcceptance,
  streamUsage: 'unasked',
  wires: [openaiChat, openaiResponses],
  keyPrefixes: ['gsk_'],
  // https://console.groq.com/docs/batch
  endpoints: {
    files: '/files',
    batches: '/batches',
    transcriptions: '/audio/transcriptions',
    speech: '/audio/speech',
  },
  ownNames: /^groq\/compound/,
  priceId: 'groq',
});
