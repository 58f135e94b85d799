import { toLogAttributes } from './log-attributes.ts';

/** A line of the log: level and time, then the facts, then what it says. Whatever the facts are, there is a line. */
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
