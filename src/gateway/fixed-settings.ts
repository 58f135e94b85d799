import type { Settings } from './settings.ts';

/** Settings that hold for as long as a process runs. */
const fixed = {
  mode: 'WEIR_MODE',
  host: 'HOST',
  port: 'PORT',
  httpImplementation: 'WEIR_HTTP',
  dataDir: 'WEIR_DATA_DIR',
  logFile: 'WEIR_LOG_FILE',
  workers: 'WEIR_WORKERS',
  isAirgapped: 'WEIR_AIRGAP',
  watchdogMs: 'WEIR_WATCHDOG',
} as const satisfies Partial<Record<keyof Settings, string>>;

/** What can't change while a gateway runs, with one process or with new ones. Secrets are named and not shown. */
export function fixedSettingFaults(
  before: Settings,
  after: Settings,
  replaced: 'settings' | 'processes',
): readonly string[] {
  const changed = Object.entries(fixed).flatMap(([field, variable]) => {
    if (!isFixed(field) || (replaced === 'processes' && ofWorkers.has(field))) return [];
    const [one, other] = [before[field], after[field]];
    return one === other ? [] : [`${variable}: ${restart} (${one ?? 'none'} before, ${other ?? 'none'} now)`];
  });
  const isSameSecret = before.secret?.reveal() === after.secret?.reveal();
  const isSameStore = JSON.stringify(before.stores) === JSON.stringify(after.stores);
  return [
    ...changed,
    ...(isSameSecret ? [] : [`WEIR_SECRET: ${restart}`]),
    ...(isSameStore ? [] : [`DATABASE_URL, REDIS_URL, WEIR_DATABASE_POOL or WEIR_COUNTS: ${restart}`]),
  ];
}

/** New processes may have others. */
const ofWorkers: ReadonlySet<string> = new Set([
  ...['host', 'port', 'httpImplementation', 'workers', 'isAirgapped'],
]);

const restart = "can't change while the gateway runs; restart it";

function isFixed(field: string): field is keyof typeof fixed {
  return field in fixed;
}
