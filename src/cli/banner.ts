import type { Gateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';

export type StartedGateway = Pick<
  Gateway,
  'url' | 'pipeline' | 'readyProviders' | 'hasDashboard' | 'unknownVariables'
>;

/** The startup banner: addresses, pipeline, warnings and a first call to try. */
export function banner(started: StartedGateway, settings: Settings): string {
  const { url, pipeline, readyProviders, hasDashboard } = started;
  const address = url.replace('0.0.0.0', '127.0.0.1');
  return [
    `Weir is listening on ${url} (${settings.mode} mode)`,
    ...(hasDashboard ? [`  dashboard  ${address}/`] : []),
    `  pipeline   ${pipeline}`,
    `  providers  ${readyProviders.join(', ')}`,
    ...(settings.workers > 1 ? [`  processes  ${settings.workers}`] : []),
    ...startWarnings(started, settings).map((warning) => `  warning    ${warning}`),
    '',
    ...(settings.mode === 'local' ? localExample(address, settings) : cloudExample(address)),
    '',
  ].join('\n');
}

function localExample(address: string, { localToken }: Settings): readonly string[] {
  return [
    'Try it:',
    `  curl ${address}/v1/messages -H 'content-type: application/json' \\`,
    // Only the variable's name, since the banner ends up in logs.
    ...(localToken === undefined ? [] : [`    -H "authorization: Bearer $WEIR_LOCAL_TOKEN" \\`]),
    `    -d '{"model": "demo-1", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'`,
  ];
}

function cloudExample(address: string): readonly string[] {
  return [
    'Create an account, then an API key with its token (POST /v1/keys):',
    `  curl ${address}/v1/users/signup -H 'content-type: application/json' \\`,
    `    -d '{"email": "you@example.com", "password": "at least 8 characters"}'`,
  ];
}

export function startWarnings({ unknownVariables }: StartedGateway, settings: Settings): readonly string[] {
  return [
    ...unknownVariables.map((variable) => `${variable} is not a setting of this version`),
    ...settingWarnings(settings),
  ];
}

/** Warnings about valid settings that are probably unintended. */
export function settingWarnings(settings: Settings): readonly string[] {
  return [...accessWarnings(settings), ...(settings.isAirgapped ? airgapWarnings(settings) : [])];
}

/** Settings that need a connection which WEIR_AIRGAP does not allow. */
function airgapWarnings({ mail, mpp, clickHouse, s3 }: Settings): readonly string[] {
  const needless = {
    WEIR_SMTP_URL: mail,
    STRIPE_SECRET_KEY: mpp.stripeKey,
    WEIR_LOG_CLICKHOUSE_URL: clickHouse,
    WEIR_LOG_S3_URL: s3,
  };
  return Object.entries(needless)
    .filter(([, value]) => value !== undefined)
    .map(([variable]) => `${variable} has no effect: WEIR_AIRGAP allows no connection to it`);
}

function accessWarnings({ host, mode, localToken, mpp, billing }: Settings): readonly string[] {
  if (mode === 'cloud' && mpp.stripeKey !== undefined && billing.webhookSecret === undefined)
    return ['STRIPE_WEBHOOK_SECRET is not set: paid subscriptions will not be recognized'];
  if (isLoopback(host) || mode === 'cloud') return [];
  const open =
    localToken === undefined
      ? '; anyone who can connect can use the provider keys set here (set WEIR_LOCAL_TOKEN to require a token)'
      : '';
  return [`local mode accepts connections from other machines${open}`];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
