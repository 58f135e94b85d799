import { globSync, readFileSync } from 'node:fs';

/** Tests of modules by themselves, without a server or a gateway. */
export function unitFiles(): readonly string[] {
  return globSync('src/**/*.test.ts', { exclude: ['src/storage/**'] })
    .toSorted()
    .filter((file) => !needsMore.test(readFileSync(file, 'utf8')));
}

const needsMore = /TEST_DATABASE_URL|TEST_REDIS_URL|startTestGateway/;

/**
 * Every test, the long ones first: a long one that begins last would keep one core busy and the others idle. Units share a
 * process, which takes longer to start than most of them.
 */
export function allFiles(): readonly string[] {
  const inUnits = new Set(unitFiles());
  return ['src/storage/sql/*.test.ts', 'test/units.ts', 'test/**/*.test.ts', 'src/**/*.test.ts']
    .flatMap((pattern) => globSync(pattern).toSorted())
    .filter((file) => !inUnits.has(file));
}
