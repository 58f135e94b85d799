import type { Gateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { type AdjustableLog, type LogLevel, logLevels } from '../telemetry/log.ts';
import type { ControlHandlers } from './control-socket.ts';
import { buildDiagnosis } from './diagnosis.ts';

export interface RunningGateway {
  readonly settings: Settings;
  readonly log: AdjustableLog;
  readonly gateway: Gateway;
}

/** Handlers for `weir report` and `weir log-level`. */
export function createControlHandlers(runningGateway: RunningGateway): ControlHandlers {
  return {
    report: () => buildDiagnosis(runningGateway),
    'log-level': ({ level }) => {
      const { log } = runningGateway;
      if (isLogLevel(level)) log.level = level;
      return { process: process.pid, level: log.level };
    },
  };
}

function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.some((level) => level === text);
}
