import { GatewayError } from '../../kernel/errors.ts';
import type { Reload } from '../../kernel/ports/reload.ts';
import { systemClock } from '../../lib/clock.ts';
import { reloadRoutes } from '../../server/api/routes/reload.ts';
import type { Part } from '../part.ts';
import { type Settings, SettingsError } from '../settings.ts';

interface ConfigurationParts {
  readonly settings: Settings;
  readonly reload: Reload | undefined;
}

/** The version of the settings, and the route that reads them again. */
export function configurationPart({ settings, reload }: ConfigurationParts): Part {
  const { configurationVersion: version } = settings;
  const loadedAtMs = systemClock.now();
  return {
    routes: reloadRoutes(() => (reload ?? reloadNothing)().catch(rejectReload)),
    gauges: [
      {
        name: 'weir_config_info',
        help: 'The version of the settings that new calls are served with',
        read: () => [{ labels: { version }, value: 1 }],
      },
      {
        name: 'weir_config_loaded_timestamp_seconds',
        help: 'When these settings were loaded',
        read: () => loadedAtMs / 1000,
      },
    ],
  };
}

/** Of a gateway in another program. */
async function reloadNothing(): Promise<never> {
  throw new GatewayError('invalid_request', 'this gateway has no configuration that it could read again');
}

function rejectReload(thrown: unknown): never {
  if (!(thrown instanceof SettingsError)) throw thrown;
  throw new GatewayError('invalid_request', `nothing has changed: ${thrown.faults.join('; ')}`);
}
