import { globSync } from 'node:fs';

/** Those that take longest: one that begins last would keep one core busy and the others idle. */
const long = [
  'test/kill.test.ts',
  'test/log-output.test.ts',
  'test/process.test.ts',
  'test/workers.test.ts',
  'test/dashboard.test.ts',
  'src/storage/sql/sqlite.test.ts',
  'test/settlement.test.ts',
  'test/billing-faults.test.ts',
  'test/cache-keys.test.ts',
  'test/fuzz.test.ts',
  'test/prefix.test.ts',
  'test/faults.test.ts',
  'test/dashboard-log.test.ts',
  'test/docs-commands.test.ts',
];

/** They look at the process that they run in, which takes the longer the more there is in it. */
const alone = [
  'test/http-traps.test.ts',
  'src/server/api/streams.test.ts',
  'test/create-gateway.test.ts',
  'test/heavy-bodies.test.ts',
  'test/reload.test.ts',
  'test/texts.test.ts',
];

/** Every test, in the order in which they begin. */
export function allFiles(): readonly string[] {
  const all = ['src/**/*.test.ts', 'test/**/*.test.ts'].flatMap((pattern) => globSync(pattern).toSorted());
  return [...long, ...all.filter((file) => !long.includes(file))];
}

export function isAlone(file: string): boolean {
  return alone.includes(file);
}
