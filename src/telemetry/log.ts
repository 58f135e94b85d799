import { pino } from 'pino';
import { type CallFacts, callLine } from './call-line.ts';

/** Structured lines for operators. Headers, bodies and credentials are never handed to it. */
export interface Log {
  /** Something that somebody should look at. */
  error(facts: object, message: string): void;
  /** Whether anybody wants a line a call. */
  readonly logsCalls: boolean;
  call(facts: CallFacts): void;
  /** Lines that were lost because nobody read them in time. */
  readonly lost: number;
  flush(): void;
}

/** Where lines go; each ends with its line break. */
export interface Lines {
  write(line: string): void;
  readonly lost?: number;
  flush?(): void;
}

export function createLog(level: string, lines: Lines): Log {
  const timestamp = createTimestamp();
  const formatters = { level: (label: string) => ({ level: label }) };
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, lines);
  return {
    error: (facts, message) => log.error(facts, message),
    logsCalls: log.isLevelEnabled('info'),
    call: (facts) => lines.write(callLine(facts, timestamp())),
    get lost() {
      return lines.lost ?? 0;
    },
    flush: () => lines.flush?.(),
  };
}

/** The time as ISO 8601; written once for all lines of a millisecond. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
}
