import type { Gateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';

type BannerFacts = Pick<Gateway, 'url' | 'pipeline' | 'readyProviders' | 'hasDashboard' | 'unknownVariables'>;

/** What a person wants to know at the start, and the one thing to try. */
export function banner(
  { url, pipeline, readyProviders, hasDashboard, unknownVariables }: BannerFacts,
  settings: Settings,
): string {
  const address = url.replace('0.0.0.0', '127.0.0.1');
  return [
    `Weir is listening on ${url} (${settings.mode} mode)`,
    ...(hasDashboard ? [`  dashboard  ${address}/`] : []),
    `  pipeline   ${pipeline}`,
    `  providers  ${readyProviders.join(', ')}`,
    ...(settings.workers > 1 ? [`  processes  ${settings.workers}`] : []),
    ...[...unknownVariables.map(unknownSettingWarning), ...settingWarnings(settings)].map(
      (warning) => `  warning    ${warning}`,
    ),
    '',
    ...(settings.mode === 'local' ? localExample(address, settings) : cloudExample(address)),
    '',
  ].join('\n');
}

function localExample(address: string, { localToken }: Settings): readonly string[] {
  return [
    'Try it:',
    `  curl ${address}/v1/messages -H 'content-type: application/json' \\`,
    // Named and not told: the banner ends up in logs.
    ...(localToken === undefined ? [] : [`    -H "authorization: Bearer $WEIR_LOCAL_TOKEN" \\`]),
    `    -d '{"model": "demo-1", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'`,
  ];
}

function cloudExample(address: string): readonly string[] {
  return [
    'Make an account, then a key with its token (POST /v1/keys):',
    `  curl ${address}/v1/users/signup -H 'content-type: application/json' \\`,
    `    -d '{"email": "you@example.com", "password": "at least 8 characters"}'`,
  ];
}

function unknownSettingWarning(variable: string): string {
  return `${variable} is not a setting of this version`;
}

/** What is allowed, and hardly meant. */
export function settingWarnings({ host, mode, localToken, mpp, billing }: Settings): readonly string[] {
  if (mode === 'cloud' && mpp.stripeKey !== undefined && billing.webhookSecret === undefined)
    return ['STRIPE_WEBHOOK_SECRET is not set: nobody tells this gateway which subscriptions were paid'];
  if (isLoopback(host) || mode === 'cloud') return [];
  const open =
    localToken === undefined
      ? '; anyone who reaches it can spend the keys set here (WEIR_LOCAL_TOKEN asks for a token)'
      : '';
  return [`listening beyond this machine in local mode${open}`];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
