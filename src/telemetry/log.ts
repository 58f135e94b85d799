import { type CallLineFields, formatCallLine } from './call-line.ts';
import type { EndedCall } from './ended-call.ts';
import { limits } from './limits.ts';
import { formatLogLine } from './log-line.ts';
import type { Gauge } from './process-gauges.ts';

/** Structured log lines for operators. Never pass headers, bodies or credentials. */
export interface Log {
  info(facts: object, message: string): void;
  /** For conditions that may need attention. */
  warn(facts: object, message: string): void;
  /** For failures. */
  error(facts: object, message: string): void;
  /** For changes of accounts and credentials, at every level but `silent`. */
  audit(facts: object, message: string): void;
  /** Whether to log a line per call. */
  readonly logsCalls: boolean;
  call(call: EndedCall, facts: CallLineFields): void;
  /** The number of lost lines. */
  readonly lost: number;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A log whose level can be changed at run time. */
export interface AdjustableLog extends Log {
  level: LogLevel;
}

/** An output of lines; each ends with its line break. */
export interface LineSink {
  write(line: string): void;
  readonly lost?: number;
}

export function createLog(level: LogLevel, lineSink: LineSink): AdjustableLog {
  const timestamp = createTimestamp();
  let current = level;
  let tellsAll = logsInfo(level);
  const write = (name: LogLevel, attributes: object, message: string) =>
    lineSink.write(formatLogLine(name, timestamp(), { attributes, message }));
  return {
    get level() {
      return current;
    },
    set level(next) {
      current = next;
      tellsAll = logsInfo(next);
    },
    info(attributes, message) {
      if (tellsAll) write('info', attributes, message);
    },
    warn(attributes, message) {
      if (tellsAll || current === 'warn') write('warn', attributes, message);
    },
    error(attributes, message) {
      if (current !== 'silent') write('error', attributes, message);
    },
    audit(attributes, message) {
      if (current !== 'silent') write('info', attributes, message);
    },
    get logsCalls() {
      return tellsAll;
    },
    call: (call, facts) => lineSink.write(formatCallLine(call, facts, timestamp())),
    get lost() {
      return lineSink.lost ?? 0;
    },
  };
}

function logsInfo(level: LogLevel): boolean {
  return level === 'debug' || level === 'info';
}

export function lostLinesGauge(lines: Pick<LineSink, 'lost'>): Gauge {
  return {
    name: 'weir_log_lines_lost_total',
    help: `Log lines lost because writing failed or more than ${limits.logLinesBytesWaiting} bytes were waiting`,
    read: () => lines.lost ?? 0,
  };
}

/** The time as ISO 8601; caches the parts that lines of the same second or millisecond share. */
function createTimestamp(): () => string {
  let startMs = 0;
  let untilTheSecond = '';
  let latestMs = Number.NaN;
  let latest = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs === latestMs) return latest;
    let ms = nowMs - startMs;
    if (ms < 0 || ms > 999) {
      ms = nowMs % 1000;
      startMs = nowMs - ms;
      untilTheSecond = new Date(startMs).toISOString().slice(0, -4);
    }
    latestMs = nowMs;
    latest = `${untilTheSecond}${String(ms).padStart(3, '0')}Z`;
    return latest;
  };
}
