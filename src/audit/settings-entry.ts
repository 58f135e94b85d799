import type { AuditTable } from '../kernel/ports/audit.ts';
import type { SettingsChange } from '../kernel/ports/reload.ts';
import { type Audit, instanceChain } from './audit.ts';
import { parseObject } from './parse-object.ts';

interface SettingsEntryParts {
  readonly audit: Pick<Audit, 'addOnce'>;
  readonly table: Pick<AuditTable, 'page'>;
}

interface SettingsInUse {
  /** A digest of the settings without secrets. */
  readonly version: string;
  /** Undefined when the gateway starts. */
  readonly change: SettingsChange | undefined;
}

/** Adds one entry for all processes that begin to use other settings than the newest entry has. */
export async function recordSettings(
  { audit, table }: SettingsEntryParts,
  { version, change }: SettingsInUse,
): Promise<void> {
  // The route adds its own, with who has called it.
  if (change?.trigger === 'request') return;
  const [newest] = await table.page({ chain: instanceChain, events: ['settings.reloaded'], limit: 1 });
  const before = newest && String(parseObject(newest.text).version);
  const { id, trigger = 'start', changed } = change ?? {};
  // The settings of the first start are no change.
  if (change === undefined && newest === undefined) return;
  if (before === version && (changed === undefined || changed.length === 0)) return;
  await audit.addOnce({
    event: 'settings.reloaded',
    entry: id ?? `${version}.${newest?.number ?? 0}`,
    ...{ trigger, version, ...(changed !== undefined && { changed }) },
  });
}
