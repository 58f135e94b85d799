import { auditMessages, isAuditEvent } from '../audit/events.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { isJsonObject } from '../lib/json.ts';
import { type AdjustableLog, type LogLevel, logLevels } from '../telemetry/log.ts';
import type { ControlHandlers } from './control-socket.ts';
import { buildDiagnosis } from './diagnosis.ts';

export interface RunningGateway {
  readonly settings: Settings;
  readonly log: AdjustableLog;
  readonly gateway: Gateway;
}

/** Handlers for `weir report`, `weir doctor`, `weir log-level`, and the audit log of other commands. */
export function createControlHandlers(runningGateway: RunningGateway): ControlHandlers {
  return {
    report: () => buildDiagnosis(runningGateway),
    diagnose: async () => ({ checks: await runningGateway.gateway.diagnose() }),
    'log-level': ({ level }) => {
      const { log } = runningGateway;
      if (isLogLevel(level)) log.level = level;
      return { process: process.pid, level: log.level };
    },
    audit: ({ event, facts }) => {
      if (!isAuditEvent(event) || !isJsonObject(facts)) throw new Error('unknown event');
      runningGateway.log.audit({ event, ...facts }, auditMessages[event]);
      return {};
    },
  };
}

function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.some((level) => level === text);
}
