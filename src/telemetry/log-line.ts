import { factsOf } from './plain-facts.ts';

/** A line of the log: level and time, then the facts, then what it says. Whatever the facts are, there is a line. */
export function logLine(level: string, time: string, { facts, message }: Said): string {
  let line = `{"level":"${level}","time":"${time}"`;
  for (const [name, fact] of factsOf(facts)) {
    const json = JSON.stringify(fact);
    if (json !== undefined) line += `,${JSON.stringify(name)}:${json}`;
  }
  return `${line},"msg":${JSON.stringify(message)}}\n`;
}

interface Said {
  readonly facts: object;
  readonly message: string;
}
