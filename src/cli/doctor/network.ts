import { once } from 'node:events';
import { createServer } from 'node:net';
import { prepareProviderCalls } from '../../gateway/checks/providers.ts';
import { limits as gatewayLimits } from '../../gateway/limits.ts';
import type { EgressPart } from '../../gateway/parts/egress.ts';
import { providersPart } from '../../gateway/parts/providers.ts';
import type { Settings } from '../../gateway/settings.ts';
import { TokenEstimator } from '../../providers/tokens/token-estimator.ts';
import { type NamedResult, reasonOf, runChecks } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';
import { fail, ok, warn } from './finding.ts';
import type { ServerFindings } from './stores.ts';

/** Checks that the gateway can listen on its address. */
export async function portFinding({ host, port }: Settings): Promise<NamedResult> {
  const address = `${host}:${port}`;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok('port', `${address} is free`);
  } catch (thrown) {
    return fail(
      'port',
      `cannot listen on ${address} (${reasonOf(thrown)})`,
      'stop the program that uses it, or set PORT and HOST',
    );
  } finally {
    server.close();
  }
}

/** Checks that the operator's providers are reachable and accept their keys. */
export async function providerFindings(settings: Settings, egressPart: EgressPart): Promise<ServerFindings> {
  const part = providersPart(settings, egressPart, new TokenEstimator());
  try {
    const { checks, clockAheadMs } = prepareProviderCalls(settings, part);
    const findings =
      checks.length === 0
        ? [noProvidersFinding(settings)]
        : await runChecks(checks, gatewayLimits.providerCallMs);
    return { findings, clockAheadMs };
  } finally {
    await part.close?.(performance.now() + limits.doctorCloseMs);
  }
}

function noProvidersFinding({ mode }: Settings): NamedResult {
  return mode === 'cloud'
    ? ok('providers', 'no provider has an operator key: accounts use their own keys')
    : warn(
        'providers',
        'no provider has a key: only the model demo-1 works',
        'set a provider key, for example ANTHROPIC_API_KEY',
      );
}
