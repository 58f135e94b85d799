import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';
import { openaiChat } from '../wire/index.ts';

/** The gateway itself: a model that makes vectors without a provider, and batches that it runs. */
export const weir: Provider = {
  name: 'weir',
  title: 'Weir',
  baseUrl: 'http://weir.invalid',
  wires: [openaiChat],
  hasEndpointsOnly: true,
  endpoints: { embeddings: '/embeddings', files: '/files', batches: '/batches' },
  keyPrefixes: [],
  modelPrefixes: ['minilm'],
  requiresProviderPrefix: true,
  keyless: true,
  free: true,
  authorize: () => [],
  answerLocally() {
    throw new GatewayError('invalid_request', 'weir/minilm makes vectors; it is no chat model');
  },
};
