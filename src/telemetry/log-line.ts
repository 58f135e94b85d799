import { toLogAttributes } from './log-attributes.ts';

/** A log line: level and time, then the attributes, then the message. Never throws, whatever the attributes are. */
export function formatLogLine(level: string, time: string, { attributes, message }: LogRecord): string {
  let line = `{"level":"${level}","time":"${time}"`;
  for (const [name, fact] of toLogAttributes(attributes)) {
    const json = JSON.stringify(fact);
    if (json !== undefined) line += `,${JSON.stringify(name)}:${json}`;
  }
  return `${line},"msg":${JSON.stringify(message)}}\n`;
}

interface LogRecord {
  readonly attributes: object;
  readonly message: string;
}
