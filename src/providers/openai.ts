import type { ProviderFormat } from '../kernel/wire-format.ts';
import { openaiForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiChat, openaiResponses, openaiResponsesCompact } from '../wire/index.ts';
import { openaiAcceptance, openaiFallbackAcceptance } from './acceptance/openai.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const openai = openaiCompatible({
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  accepts: [...openaiAcceptance, openaiFallbackAcceptance],
  streamUsage: 'asked',
  // https://developers.openai.com/api/docs/guides/websocket-mode
  callSockets: 'lanes',
  // https://developers.openai.com/api/docs/guides/prompt-caching
  takesCacheKey: true,
  wires: [openaiChat, openaiResponses, openaiResponsesCompact],
  wiresFor: wiresForOpenai,
  keyPrefixes: ['sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-'],
  modelPrefixes: [
    'gpt-',
    'chatgpt-',
    'o1',
    'o3',
    'o4',
    'ft:',
    'codex-',
    'text-embedding-',
    'whisper-',
    'tts-',
    'omni-moderation-',
  ],
  endpoints: {
    embeddings: '/embeddings',
    responses: '/responses',
    files: '/files',
    batches: '/batches',
    images: '/images/generations',
    image_edits: '/images/edits',
    transcriptions: '/audio/transcriptions',
    speech: '/audio/speech',
    moderations: '/moderations',
    realtime: '/realtime',
  },
  endpointForms: { embeddings: openaiForm },
  priceId: 'openai',
});

/** Some models are only in the Responses API: https://platform.openai.com/docs/models. */
export function wiresForOpenai(model: string): readonly ProviderFormat[] | undefined {
  return responsesOnlyModels.test(model) ? [openaiResponses, openaiResponsesCompact] : undefined;
}

const responsesOnlyModels = /codex|deep-research|computer-use|^(o\d|gpt-\d[\d.]*)-pro\b/;
