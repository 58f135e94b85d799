import { appendFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Settings } from '../gateway/settings.ts';
import { tellProcess } from '../process/control-socket.ts';
import { type AuditEvent, type AuditFacts, auditMessages } from '../telemetry/audit.ts';
import { formatLogLine } from '../telemetry/log-line.ts';

/**
 * Records what an operator did in the log of the running gateway. If none runs on the data folder, in the log file, or on
 * standard error for programs that collect it.
 */
export async function recordAudit(
  { dataDir, logFile }: Settings,
  event: AuditEvent,
  facts: AuditFacts,
): Promise<void> {
  const attributes = { actor: `operator:${loginName()}`, ...facts };
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
