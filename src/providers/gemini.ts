import type { Provider } from '../kernel/provider.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { geminiForm } from '../wire/endpoints/embedding-forms.ts';
import { geminiInteractions, gemini as geminiWire } from '../wire/index.ts';
import { geminiAcceptance } from './acceptance/gemini.ts';

export const gemini: Provider = {
  name: 'gemini',
  telemetryName: 'gcp.gemini',
  title: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  accepts: geminiAcceptance,
  wires: [geminiWire, geminiInteractions],
  wiresFor: wiresForGemini,
  keyPrefixes: ['AIza', 'AQ.'],
  modelPrefixes: ['gemini-', 'gemma-', 'lyria-', 'deep-research-', 'antigravity-'],
  keyless: false,
  priceId: 'google',
  // Google reports a wrong key as an invalid argument.
  keyTest: { path: '/v1beta/models?pageSize=1', wrongKeyStatus: 400 },
  hasTokenCounting: true,
  endpoints: {
    embeddings: '/v1beta/openai/embeddings',
    interactions: '/v1beta/interactions',
    files: '/v1beta/files',
    uploads: '/upload/v1beta/files',
    downloads: '/download/v1beta/files',
    'gemini-batches': '/v1beta/batches',
    'gemini-batch-models': '/v1beta/models',
    images: '/v1beta/openai/images/generations',
    live: '/ws',
  },
  endpointForms: { embeddings: geminiForm },
  authorize: (credential) => ['x-goog-api-key', credential.reveal()],
};

/** Some models and all agents are only in the Interactions API: https://ai.google.dev/gemini-api/docs/interactions. */
function wiresForGemini(model: string): readonly ProviderFormat[] | undefined {
  return interactionsOnly.test(model) ? [geminiInteractions] : undefined;
}

const interactionsOnly = /^(?:gemini-omni|lyria|deep-research|antigravity)-/;
