import type { Provider } from '../kernel/provider.ts';
import { gemini as geminiWire } from '../wire/index.ts';
import { geminiAcceptance } from './acceptance/gemini.ts';

export const gemini: Provider = {
  name: 'gemini',
  title: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  accepts: geminiAcceptance,
  wires: [geminiWire],
  keyPrefixes: ['AIza', 'AQ.'],
  modelPrefixes: ['gemini-', 'gemma-'],
  keyless: false,
  priceId: 'google',
  // Google reports a wrong key as an invalid argument.
  keyTest: { path: '/v1beta/models?pageSize=1', wrongKeyStatus: 400 },
  hasTokenCounting: true,
  endpoints: { embeddings: '/v1beta/openai/embeddings' },
  authorize: (credential) => ['x-goog-api-key', credential.reveal()],
};
