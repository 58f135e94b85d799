import type { Gateway } from '../gateway/gateway.ts';
import type { Settings } from '../gateway/settings.ts';
import { type AdjustableLog, type LogLevel, logLevels } from '../telemetry/log.ts';
import type { Controls } from './control.ts';
import { diagnosis } from './diagnosis.ts';

export interface Running {
  readonly settings: Settings;
  readonly log: AdjustableLog;
  readonly gateway: Gateway;
}

/** What `weir report` and `weir log-level` ask of a process. */
export function controlsOf(running: Running): Controls {
  return {
    report: () => diagnosis(running),
    'log-level': ({ level }) => {
      const { log } = running;
      if (isLogLevel(level)) log.level = level;
      return { process: process.pid, level: log.level };
    },
  };
}

function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.some((level) => level === text);
}
