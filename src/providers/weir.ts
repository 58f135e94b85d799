import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';
import { openaiChat } from '../wire/index.ts';

/** The model of the gateway itself, which makes vectors without a provider. */
export const weir: Provider = {
  name: 'weir',
  title: 'Weir',
  baseUrl: 'http://weir.invalid',
  wires: [openaiChat],
  hasEndpointsOnly: true,
  endpoints: { embeddings: '/embeddings' },
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
