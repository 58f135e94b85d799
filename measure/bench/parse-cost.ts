/** What it costs in this process to read a body once. */
export interface ParseCost {
  /** `JSON.parse` of its text. */
  readonly parseMicros: number;
  /** Bytes to text, too. */
  readonly decodeAndParseMicros: number;
}

const times = 20;

export function parseCost(body: Buffer): ParseCost {
  const text = body.toString();
  return {
    parseMicros: cpuMicrosOf(() => JSON.parse(text)),
    decodeAndParseMicros: cpuMicrosOf(() => JSON.parse(body.toString())),
  };
}

function cpuMicrosOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
