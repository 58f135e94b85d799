import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Gateway, startGateway } from '../gateway.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type Environment, readSettings, type Settings, SettingsError } from '../settings.ts';
import { createLog, type Log, standardOutput } from '../telemetry/log.ts';
import { banner } from './banner.ts';

/** Runs the gateway until it is told to stop; resolves to the exit code. */
export async function serve(environment: Environment): Promise<number> {
  const started = await start(environment);
  if (started === undefined) return 1;
  const { gateway, settings, log } = started;
  console.log(banner(gateway, settings));
  await signalled(gateway);
  log.flush();
  return 0;
}

async function start(
  environment: Environment,
): Promise<{ gateway: Gateway; settings: Settings; log: Log } | undefined> {
  try {
    const settings = readSettings({ ...dotEnv(), ...environment });
    const log = createLog(settings.logLevel, standardOutput());
    return { gateway: await startGateway(settings, log), settings, log };
  } catch (thrown) {
    console.error(`weir: ${explained(thrown)}`);
    return undefined;
  }
}

/** What the environment says wins over the file. */
function dotEnv(): Environment {
  return existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
}

function explained(thrown: unknown): string {
  if (thrown instanceof SettingsError) return thrown.faults.join('\nweir: ');
  if (GatewayError.is(thrown)) return `WEIR_PIPELINE: ${thrown.message}`;
  if (!(thrown instanceof Error)) return String(thrown);
  const code = 'code' in thrown ? thrown.code : undefined;
  if (code === 'EADDRINUSE')
    return `the port is taken by another program (${thrown.message}); stop it, or set PORT`;
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
    return `can't listen there (${thrown.message}); see HOST and PORT`;
  return thrown.message;
}

/** The first signal drains, the second ends at once. */
async function signalled(gateway: Gateway): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(1);
    asked = true;
    void gateway.close().then(resolve);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  await promise;
  process.off('SIGTERM', onSignal);
  process.off('SIGINT', onSignal);
}
