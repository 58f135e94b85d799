import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The longest, by process: one that begins last would keep one core busy and the others idle. */
const long = [
  ['test/kill.test.ts'],
  ['test/log-output.test.ts', 'test/watchdog.test.ts', 'test/full-disk.test.ts'],
  ['test/process.test.ts', 'test/stores-away.test.ts'],
  ['test/workers.test.ts', 'test/embeddings.test.ts'],
  ['test/dashboard.test.ts', 'test/dashboard-cloud.test.ts'],
  ['src/storage/sql/sqlite.test.ts', 'src/storage/sql/postgres.test.ts'],
  ['test/settlement.test.ts', 'test/sandbox.test.ts', 'test/operator-billing.test.ts'],
  ['test/billing-faults.test.ts', 'test/payment-kills.test.ts'],
  ['test/cache-keys.test.ts', 'test/hostile-end-users.test.ts', 'test/module-package.test.ts'],
  ['test/fuzz.test.ts', 'test/regular-expressions.test.ts'],
  ['test/prefix.test.ts', 'test/rate-limits.test.ts'],
  ['test/faults.test.ts', 'test/odd-answers.test.ts'],
  ['test/dashboard-log.test.ts', 'test/dashboard-content.test.ts'],
];

/** They look at the process that they run in. */
const alone = [
  ['test/http-traps.test.ts'],
  ['src/server/api/streams.test.ts'],
  ['test/create-gateway.test.ts'],
  ['test/heavy-bodies.test.ts'],
  ['test/texts.test.ts'],
];

const filesInProcess = 16;

/** Every test, by the process that it runs in: to start one takes longer than most tests do. */
export function byProcess(): readonly (readonly string[])[] {
  const all = ['src/**/*.test.ts', 'test/**/*.test.ts'].flatMap((pattern) => globSync(pattern).toSorted());
  const apart = new Set([...long, ...alone].flat());
  const shared = all.filter((file) => !apart.has(file));
  const units = shared.filter(isUnit);
  const short = shared.filter((file) => !isUnit(file));
  return [units, ...long, ...alone, ...dealt(short)];
}

/** Files of one subject often take equally long: dealt out in turn, all groups do. */
function dealt(files: readonly string[]): readonly (readonly string[])[] {
  const groups = Math.ceil(files.length / filesInProcess);
  return Array.from({ length: groups }, (_, group) => files.filter((_, index) => index % groups === group));
}

/** A module by itself, without a server or a gateway. */
function isUnit(file: string): boolean {
  return /^src\/(?!storage\/)/.test(file) && !needsMore.test(readFileSync(file, 'utf8'));
}

const needsMore = /TEST_DATABASE_URL|TEST_REDIS_URL|startTestGateway/;

/** One file for each process, which may stand for several. */
export function oneForEach(processes: readonly (readonly string[])[]): {
  readonly files: readonly string[];
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tests-'));
  const files = processes.map(([first = '', ...others], index) => {
    if (others.length === 0) return first;
    const file = join(folder, `${index}.mjs`);
    writeFileSync(
      file,
      [first, ...others].reduce((text, each) => text + inSuite(each), header),
    );
    return file;
  });
  return { files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What a file opened before it failed to load would keep its process for ever. */
const header = `import { after, suite } from 'node:test';
let isBroken = false;
after(() => isBroken && setTimeout(() => process.exit(1), 1000));
const fail = (fault) => { isBroken = true; throw fault; };
`;

/** What a file does before and after each of its tests is for these alone. */
function inSuite(file: string): string {
  const url = JSON.stringify(pathToFileURL(resolve(file)).href);
  return `suite(${JSON.stringify(file)}, async () => {\n  await import(${url}).catch(fail);\n});\n`;
}
