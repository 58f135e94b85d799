import type { Gateway } from '../gateway.ts';
import type { Settings } from '../settings.ts';

/** What a person wants to know at the start, and the one thing to try. */
export function banner({ url, pipeline, ready }: Gateway, settings: Settings): string {
  const address = url.replace('0.0.0.0', '127.0.0.1');
  return [
    `Weir is listening on ${url} (${settings.mode} mode)`,
    `  pipeline   ${pipeline}`,
    `  providers  ${ready.join(', ')}`,
    ...warnings(settings).map((warning) => `  warning    ${warning}`),
    '',
    'Try it:',
    `  curl ${address}/v1/messages -H 'content-type: application/json' \\`,
    // Named and not told: the banner ends up in logs.
    ...(settings.localToken === undefined ? [] : [`    -H "authorization: Bearer $WEIR_LOCAL_TOKEN" \\`]),
    `    -d '{"model": "demo-1", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'`,
    '',
  ].join('\n');
}

function warnings({ host, localToken, unknownVariables }: Settings): readonly string[] {
  const found = unknownVariables.map((name) => `${name} is not a setting of this version`);
  if (isLoopback(host)) return found;
  const open =
    localToken === undefined
      ? '; anyone who reaches it can spend the keys set here (WEIR_LOCAL_TOKEN asks for a token)'
      : '';
  return [...found, `listening beyond this machine in local mode${open}`];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
