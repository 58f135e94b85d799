import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of tests that several processes take one after another. */
interface TestQueue {
  /** One for each process, for the test runner. */
  readonly programs: readonly string[];
  /** How many no process has taken. */
  untaken(): number;
  remove(): void;
}

const listFile = 'files.json';
const takenPrefix = 'taken-';

/** With the files a process grows, and to start others from it takes longer. */
const filesInProcess = 48;

/** For so many processes at a time. The last ones share what is left, so all end at about the same time. */
export function makeQueue(files: readonly string[], concurrency: number): TestQueue {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tests-'));
  writeFileSync(join(folder, listFile), JSON.stringify(files));
  const runner = JSON.stringify(join(import.meta.dirname, 'test-process.ts'));
  const processes = Math.ceil(files.length / filesInProcess) + concurrency - 1;
  const programs = Array.from({ length: Math.min(processes, files.length) }, (_, index) => {
    const program = join(folder, `${index}.mjs`);
    writeFileSync(program, `import { runQueue } from ${runner};\nrunQueue(${JSON.stringify(folder)});\n`);
    return program;
  });
  return {
    programs,
    untaken: () => files.length - readdirSync(folder).filter((name) => name.startsWith(takenPrefix)).length,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Files of a queue for one process, each when it is asked for, and none that another process has. */
export function* takeFrom(folder: string): Generator<string, undefined> {
  const files: readonly string[] = JSON.parse(readFileSync(join(folder, listFile), 'utf8'));
  let taken = 0;
  for (const [index, file] of files.entries()) {
    if (taken === filesInProcess) return;
    if (!isFirst(join(folder, `${takenPrefix}${index}`))) continue;
    taken++;
    yield file;
  }
}

function isFirst(mark: string): boolean {
  try {
    writeFileSync(mark, '', { flag: 'wx' });
    return true;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'EEXIST') return false;
    throw fault;
  }
}
