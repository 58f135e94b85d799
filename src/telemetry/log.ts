import { pino } from 'pino';
import { type CallFacts, callLine } from './call-line.ts';

/** Structured lines for operators. Headers, bodies and credentials are never handed to it. */
export interface Log {
  /** Something that somebody should look at. */
  error(facts: object, message: string): void;
  /** Whether anybody wants a line a call. */
  readonly logsCalls: boolean;
  call(facts: CallFacts): void;
  flush(): void;
}

/** Where lines go; each ends with its line break. */
export interface Lines {
  write(line: string): void;
  flush?(): void;
}

/** What a pipe takes in one piece, whoever else writes to it at the same time. */
export const pipePieceBytes = 4096;

/** Lines are gathered and written together: one write a call would cost more than the call's own work. */
export function standardOutput(pieceBytes = 65_536): Lines {
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: pieceBytes - 384,
    maxWrite: pieceBytes,
  });
  const timer = setInterval(() => stream.flush(), 250);
  timer.unref();
  return {
    write: (line) => void stream.write(line),
    flush() {
      try {
        stream.flushSync();
      } catch {
        // The stream isn't open yet, or the reader of our output is gone: there is nobody left to tell.
      }
    },
  };
}

export function createLog(level: string, lines: Lines): Log {
  const timestamp = createTimestamp();
  const formatters = { level: (label: string) => ({ level: label }) };
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, lines);
  return {
    error: (facts, message) => log.error(facts, message),
    logsCalls: log.isLevelEnabled('info'),
    call: (facts) => lines.write(callLine(facts, timestamp())),
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
