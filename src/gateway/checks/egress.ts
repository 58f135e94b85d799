import type { Egress } from '../../egress/egress.ts';
import { type Check, degraded, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

/** Outbound connections that were not allowed. */
export function egressCheck(egress: Pick<Egress, 'destinations'>): Check {
  return {
    name: 'egress',
    run() {
      const refused = [...egress.destinations()].filter(({ counts }) => (counts?.refused ?? 0) > 0);
      if (refused.length === 0) return passed('no outbound connection was refused since the start');
      const names = refused.slice(0, limits.shownTargetsMax).map(({ host, port }) => `${host}:${port}`);
      return degraded(
        `refused connections to ${names.join(', ')}${refused.length > names.length ? ' and more' : ''}`,
        'add them to WEIR_EGRESS_ALLOW if they are wanted',
      );
    },
  };
}
