import { numbersForm } from '../wire/endpoints/embedding-forms.ts';
import { ollamaAcceptance } from './acceptance/ollama.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const ollama = openaiCompatible({
  name: 'ollama',
  title: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  accepts: ollamaAcceptance,
  streamUsage: 'asked',
  keyless: true,
  free: true,
  endpoints: { embeddings: '/embeddings' },
  endpointForms: { embeddings: numbersForm },
});
