import { appendFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Audit } from '../audit/audit.ts';
import { AuditChains } from '../audit/chains.ts';
import { type AuditEvent, auditMessages } from '../audit/events.ts';
import type { AuditFacts, AuditRecord } from '../audit/facts.ts';
import { OpenChanges } from '../audit/open-changes.ts';
import type { Settings } from '../gateway/settings.ts';
import type { Database } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import { tellProcess } from '../process/control-socket.ts';
import { formatLogLine } from '../telemetry/log-line.ts';

interface AuditedCommand {
  readonly settings: Settings;
  readonly database: Pick<Database, 'audit' | 'announcedChanges'>;
}

/** Records what an operator did: in the audit log, and as a line of the log. */
export async function recordAudit(
  command: AuditedCommand,
  event: AuditEvent,
  facts: AuditFacts,
): Promise<void> {
  const record = attributed({ event, ...facts });
  await writeLine(command.settings, record);
  await openAudit(command).audit.record(record);
}

/** Makes a change that is recorded even if the command is killed; `change` resolves to false if nothing was changed. */
export async function changeWithAudit(
  command: AuditedCommand,
  given: AuditRecord,
  change: () => Promise<boolean>,
): Promise<boolean> {
  const record = attributed(given);
  const { audit, changes } = openAudit(command);
  changes.start((left) => audit.addOnce(left));
  try {
    const isChanged = await audit.change(record, change);
    if (isChanged) await writeLine(command.settings, record);
    return isChanged;
  } finally {
    await changes.stop();
  }
}

function attributed(record: AuditRecord): AuditRecord {
  return { actor: `operator:${loginName()}`, ...record };
}

function openAudit({ database }: AuditedCommand) {
  const changes = new OpenChanges({
    table: database.announcedChanges,
    clock: systemClock,
    onError: (cause) => console.error('could not write to the audit log:', cause),
  });
  const chains = new AuditChains({
    table: database.audit,
    onError: (cause) => console.error('could not write to the audit log:', cause),
    onLost: () => undefined,
  });
  const log = { audit: () => undefined };
  const audit = new Audit({ log, chains, changes, clock: systemClock, accountsOf: async () => [] });
  return { audit, changes };
}

/** In the log of the running gateway; if none runs on the data folder, in the log file, or on standard error for programs that collect it. */
async function writeLine(
  { dataDir, logFile }: Settings,
  { event, ...attributes }: AuditRecord,
): Promise<void> {
  if (await tellProcess(dataDir, { ask: 'audit', event, facts: attributes })) return;
  const line = formatLogLine('info', new Date().toISOString(), {
    attributes: { event, ...attributes },
    message: auditMessages[event],
  });
  if (logFile !== undefined) appendFileSync(logFile, line, { mode: 0o640 });
  else if (!process.stderr.isTTY) console.error(line.trimEnd());
}

/** A container may run under a number without a name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
