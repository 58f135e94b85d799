import type { Provider } from '../kernel/provider.ts';
import { anthropicMessages } from '../wire/index.ts';
import { anthropicAcceptance } from './acceptance/anthropic.ts';

export const anthropic: Provider = {
  name: 'anthropic',
  title: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  // Other hosts of Claude have other tiers.
  accepts: anthropicAcceptance.map((rule) => ({ ...rule, serviceTiers: ['auto', 'default'] })),
  wires: [anthropicMessages],
  hasThreads: true,
  keyPrefixes: ['sk-ant-'],
  modelPrefixes: ['claude-'],
  keyless: false,
  priceId: 'anthropic',
  keyTest: { path: '/v1/models?limit=1', headers: ['anthropic-version', '2023-06-01'] },
  hasTokenCounting: true,
  authorize(credential) {
    const key = credential.reveal();
    // Subscription login tokens work only as a bearer token, API keys only in their own header.
    return key.startsWith('sk-ant-oat') ? ['authorization', `Bearer ${key}`] : ['x-api-key', key];
  },
};
