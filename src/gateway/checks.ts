import { statfs } from 'node:fs/promises';
import type { HealthMonitor } from '../calls/health/health-monitor.ts';
import type { Egress } from '../egress/egress.ts';
import type { Embeddings } from '../kernel/ports/embeddings.ts';
import { systemClock } from '../lib/clock.ts';
import { inMemoryDataDir } from '../storage/settings.ts';
import { type Check, passed } from '../telemetry/diagnostics.ts';
import { limits } from './limits.ts';
import type { Stores } from './parts/stores.ts';
import type { Settings } from './settings.ts';

const mebibyte = 1024 * 1024;

/** The database, other servers, free disk space and the difference to the clock of the stores. */
export function storeChecks(stores: Stores, { dataDir, stores: servers }: Settings): readonly Check[] {
  const { database, required, optional = {}, clock } = stores;
  const databaseCheck: Check = {
    name: 'database',
    async run() {
      const bytes = await database.size();
      return passed(`responds; ${Math.ceil(bytes / mebibyte)} MiB`);
    },
  };
  const ping = (name: string, store: { ping(): Promise<void> }, hint: string): Check => ({
    name,
    async run() {
      try {
        await store.ping();
      } catch (thrown) {
        return { status: 'failing', detail: describeError(thrown), hint };
      }
      return passed('responds');
    },
  });
  const connections: Check = {
    name: 'database connections',
    run() {
      const { inUse, waiting, connectionsMax } = database.load();
      const detail = `${inUse} of ${connectionsMax} in use, ${waiting} queries waiting`;
      if (waiting <= limits.waitingQueriesMax) return passed(detail);
      return { status: 'degraded', detail, hint: 'raise WEIR_DATABASE_POOL, or look for slow queries' };
    },
  };
  return [
    databaseCheck,
    connections,
    ...Object.entries({ ...required, ...optional }).map(([name, store]) =>
      ping(name, store, 'check that the server runs and accepts connections'),
    ),
    ...(servers === undefined ? [] : [clockCheck(clock)]),
    ...(dataDir === inMemoryDataDir ? [] : [diskCheck(dataDir)]),
  ];
}

function clockCheck(clock: Stores['clock']): Check {
  return {
    name: 'clock',
    run() {
      const aheadMs = systemClock.now() - clock.now();
      const seconds = Math.round(Math.abs(aheadMs) / 1000);
      const detail = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the stores`;
      if (Math.abs(aheadMs) <= limits.clockSkewMsMax) return passed(detail);
      return { status: 'degraded', detail, hint: 'run an NTP client on this machine' };
    },
  };
}

function diskCheck(folder: string): Check {
  return {
    name: 'disk',
    async run() {
      const { bavail, bsize, blocks } = await statfs(folder);
      const [free, total] = [bavail * bsize, blocks * bsize];
      const detail = `${Math.floor(free / mebibyte)} of ${Math.floor(total / mebibyte)} MiB are free`;
      const hint = 'free disk space; WEIR_LOG_DAYS and WEIR_LOG_ROWS limit the request log';
      if (free < limits.diskBytesMin) return { status: 'failing', detail, hint };
      return free < limits.diskBytesLow ? { status: 'degraded', detail, hint } : passed(detail);
    },
  };
}

interface Recorder {
  readonly isUnavailable: boolean;
}

/** A queue in front of the database, which knows whether writes work. */
export function recorderCheck(name: string, recorder: Recorder, waiting: () => number): Check {
  return {
    name,
    run() {
      const detail = `${waiting()} entries wait to be stored`;
      if (!recorder.isUnavailable) return passed(detail);
      return {
        status: 'degraded',
        detail: `${detail}; the database rejects writes`,
        hint: 'look for "could not" in the log; nothing is lost while the process runs',
      };
    },
  };
}

/** Mails that wait to be sent. */
export function mailCheck(queue: { readonly pendingCount: number } | undefined): Check {
  return {
    name: 'mail',
    run() {
      if (queue === undefined) return passed('not configured');
      const detail = `${queue.pendingCount} mails wait to be sent`;
      if (queue.pendingCount <= limits.waitingMailsMax) return passed(detail);
      return { status: 'degraded', detail, hint: 'check the server in WEIR_SMTP_URL' };
    },
  };
}

/** The process of the local models starts with its first use. */
export function modelsCheck(embeddings: Pick<Embeddings, 'state'>): Check {
  return {
    name: 'models',
    run() {
      const { source, why } = embeddings.state();
      if (why === undefined || why === 'off' || why === 'starting')
        return passed(`${source}: ${why ?? 'ready'}`);
      return {
        status: 'degraded',
        detail: `${source}: ${why}`,
        hint: 'modules that need embeddings or text models are skipped; GET /v1/capabilities has the reason',
      };
    },
  };
}

/** Targets whose breaker is open, and credentials that their provider rejects. */
export function providerChecks(
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
        return {
          status: 'degraded',
          detail: `not called, or called rarely: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`,
          hint: 'the provider fails or rejects calls; see the errors in the request log',
        };
      },
    },
    {
      name: 'provider keys',
      run() {
        const rejected = health.rejectedCredentials;
        if (rejected === 0) return passed('no provider rejects a key');
        return {
          status: 'degraded',
          detail: `${rejected} keys are rejected by their provider and set aside`,
          hint: 'replace them; GET /v1/byok/<provider>/keys and the page "Provider keys" show which',
        };
      },
    },
  ];
}

/** Outbound connections that were not allowed. */
export function egressCheck(egress: Pick<Egress, 'destinations'>): Check {
  return {
    name: 'egress',
    run() {
      const refused = [...egress.destinations()].filter(({ counts }) => (counts?.refused ?? 0) > 0);
      if (refused.length === 0) return passed('no outbound connection was refused since the start');
      const names = refused.slice(0, limits.shownTargetsMax).map(({ host, port }) => `${host}:${port}`);
      return {
        status: 'degraded',
        detail: `refused connections to ${names.join(', ')}${refused.length > names.length ? ' and more' : ''}`,
        hint: 'add them to WEIR_EGRESS_ALLOW if they are wanted',
      };
    },
  };
}

function describeError(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'does not respond';
}
