import type { Provider } from '../kernel/provider.ts';
import { headerValuesOf } from '../lib/headers.ts';
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
  endpoints: { files: '/v1/files', 'message-batches': '/v1/messages/batches' },
  authorize(credential, headers = []) {
    const key = credential.reveal();
    if (!key.startsWith('sk-ant-oat')) return ['x-api-key', key];
    // The login of a subscription works only as a bearer token, and only with this beta.
    const authorization = ['authorization', `Bearer ${key}`];
    const hasBeta = headerValuesOf(headers, 'anthropic-beta').some((betas) => betas.includes(oauthBeta));
    return hasBeta ? authorization : [...authorization, 'anthropic-beta', oauthBeta];
  },
};

const oauthBeta = 'oauth-2025-04-20';
