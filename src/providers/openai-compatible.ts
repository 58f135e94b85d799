import type { Provider } from '../kernel/provider.ts';
import { openaiChat } from '../wire/index.ts';

type OpenaiCompatibleOptions = Pick<Provider, 'name' | 'title' | 'baseUrl'> &
  Partial<
    Pick<
      Provider,
      | 'wires'
      | 'wiresFor'
      | 'keyPrefixes'
      | 'modelPrefixes'
      | 'keyless'
      | 'priceId'
      | 'free'
      | 'reportsCost'
      | 'streamUsage'
      | 'accepts'
      | 'ownNames'
      | 'keyTest'
      | 'endpoints'
      | 'endpointForms'
      | 'hasEndpointsOnly'
      | 'hasOwnErrorFormat'
      | 'callSockets'
      | 'takesCacheKey'
      | 'telemetryName'
    >
  >;

/** A provider with a Chat Completions API and bearer token authentication. */
export function openaiCompatible(openaiCompatibleOptions: OpenaiCompatibleOptions): Provider {
  return {
    wires: [openaiChat],
    keyPrefixes: [],
    modelPrefixes: [],
    keyless: false,
    keyTest: { path: '/models' },
    authorize: (credential) => ['authorization', `Bearer ${credential.reveal()}`],
    ...openaiCompatibleOptions,
  };
}
