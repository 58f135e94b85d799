import type { HealthMonitor } from '../../calls/health/health-monitor.ts';
import { type Check, degraded, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

/** Targets whose breaker is open, and credentials that their provider rejects. */
export function healthChecks(
  health: Pick<HealthMonitor, 'unclosedBreakers' | 'rejectedCredentials'>,
): readonly Check[] {
  return [
    {
      name: 'breakers',
      run() {
        const open = [...health.unclosedBreakers()];
        if (open.length === 0) return passed('all targets are called');
        const names = [
          ...new Set(open.map(({ target, state }) => `${target.provider.name}/${target.model} (${state})`)),
        ];
        const shown = names.slice(0, limits.shownTargetsMax).join(', ');
        const rest = names.length - limits.shownTargetsMax;
        return degraded(
          `not called, or called rarely: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`,
          'the provider fails or rejects calls; see the errors in the request log',
        );
      },
    },
    {
      name: 'provider keys',
      run() {
        const rejected = health.rejectedCredentials;
        if (rejected === 0) return passed('no provider rejects a key');
        return degraded(
          `${rejected} keys are rejected by their provider and set aside`,
          'replace them; GET /v1/byok/<provider>/keys and the page "Provider keys" show which',
        );
      },
    },
  ];
}
