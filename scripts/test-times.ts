// The CPU time of each file of tests, with the threads of its process and the processes that it waited for, and when it began and ended.
// Test processes load this file, too.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const { TEST_TIMES_FILE: ownFile, TEST_TIMES_RUNNER: runner } = process.env;
// Threads of tests load this as well, and processes that a test starts may.
const isTimed = ownFile !== undefined && isMainThread && process.ppid === Number(runner);
const begun = { seconds: 0, at: performance.timeOrigin };

if (isTimed) process.on('exit', () => noteFile(process.argv[1] ?? ''));

/** What this process did since it began, or since the file before, was for this one. */
export function noteFile(file: string): void {
  if (!isTimed) return;
  const [seconds, now] = [cpuSeconds(), Date.now()];
  appendFileSync(ownFile, `${seconds - begun.seconds} ${begun.at} ${now} ${file}\n`);
  Object.assign(begun, { seconds, at: now });
}

interface Times {
  /** For every test process. */
  readonly execArgv: string[];
  /** Lists the times, the longest first. */
  print(): void;
}

export function recordTimes(): Times {
  const folder = mkdtempSync(join(tmpdir(), 'weir-times-'));
  const file = join(folder, 'times');
  Object.assign(process.env, { TEST_TIMES_FILE: file, TEST_TIMES_RUNNER: String(process.pid) });
  return {
    execArgv: ['--import', import.meta.filename],
    print() {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const times = lines.map((line) => {
        const [, seconds, beganAt, endedAt, path = ''] = /^(\S+) (\S+) (\S+) (.*)$/.exec(line) ?? [];
        const spanMs = [Number(beganAt) - performance.timeOrigin, Number(endedAt) - performance.timeOrigin];
        const span = spanMs.map((ms) => (ms / 1000).toFixed(0).padStart(4)).join('–');
        const name = path.endsWith('.mjs') ? 'the end of a process' : relative('.', path);
        return { seconds: Number(seconds), tests: `${span}  ${name}` };
      });
      for (const { seconds, tests } of times.toSorted((one, other) => other.seconds - one.seconds))
        printTime(seconds, tests);
      const all = times.reduce((sum, { seconds }) => sum + seconds, 0);
      printTime(all, 'of CPU time in all test processes');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function printTime(seconds: number, what: string): void {
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${what}`);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

/** Only Linux tells it, in hundredths of a second. */
function childSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Fields 16 and 17 of proc(5), counted after the name, which may have blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
