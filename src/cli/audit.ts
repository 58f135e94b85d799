import { appendFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Audit } from '../audit/audit.ts';
import { AuditChains } from '../audit/chains.ts';
import { type AuditEvent, auditMessages } from '../audit/events.ts';
import type { AuditFacts } from '../audit/facts.ts';
import type { Settings } from '../gateway/settings.ts';
import type { Database } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import { tellProcess } from '../process/control-socket.ts';
import { formatLogLine } from '../telemetry/log-line.ts';

interface AuditedCommand {
  readonly settings: Settings;
  readonly database: Pick<Database, 'audit'>;
}

/** Records what an operator did: in the audit log, and as a line of the log. */
export async function recordAudit(
  { settings, database }: AuditedCommand,
  event: AuditEvent,
  facts: AuditFacts,
): Promise<void> {
  const attributed = { actor: `operator:${loginName()}`, ...facts };
  await writeLine(settings, event, attributed);
  const chains = new AuditChains({
    table: database.audit,
    onError: (cause) => console.error('could not write to the audit log:', cause),
    onLost: () => undefined,
  });
  const log = { audit: () => undefined };
  const audit = new Audit({ log, chains, clock: systemClock, accountsOf: async () => [] });
  await audit.record({ event, ...attributed });
}

/** In the log of the running gateway; if none runs on the data folder, in the log file, or on standard error for programs that collect it. */
async function writeLine(
  { dataDir, logFile }: Settings,
  event: AuditEvent,
  attributes: AuditFacts,
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
