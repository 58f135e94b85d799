// Replays recorded calls through the running gateway: npm run eval:wire -- --data <folder> [--only replies|requests|turns]
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { exclusionOf, exclusions } from './wire/exclusions.ts';
import { formats } from './wire/formats.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';
import { judgeReplies } from './wire/replies.ts';
import { judgeRequests } from './wire/requests.ts';
import { judgeSecondTurns } from './wire/second-turns.ts';

const parts = ['replies', 'requests', 'turns'];
const { values } = parseArgs({ options: { data: { type: 'string' }, only: { type: 'string' } } });
const { data: folder, only } = values;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else if (only === undefined) process.exitCode = await everything(folder);
else if (parts.includes(only)) process.exitCode = await evaluate(folder, only);
else throw new Error(`--only is one of ${parts.join(', ')}`);

/** Each part in a process of its own, all at once. */
async function everything(data: string): Promise<number> {
  const startedAt = performance.now();
  report(data);
  const codes = await Promise.all(parts.map((part) => inProcess(data, part)));
  const failed = parts.filter((_, at) => codes[at] !== 0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`\n${failed.length === 0 ? 'no failures' : `failures in ${failed.join(', ')}`}, ${seconds} s`);
  return failed.length === 0 ? 0 : 1;
}

async function inProcess(data: string, part: string): Promise<number> {
  const [script = ''] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, script, '--data', data, '--only', part], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const code = new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
  console.log(await text(child.stdout));
  return code;
}

async function evaluate(data: string, part: string): Promise<number> {
  const usable = readable(data).filter((recording) => exclusionOf(recording) === undefined);
  if (part === 'replies') return outcome(await judgeReplies(usable), part);
  const findings = await (part === 'requests' ? judgeRequests(usable) : judgeSecondTurns(usable));
  console.log(findings.report());
  return outcome(findings.failures, part);
}

function outcome(failures: number, part: string): number {
  console.log(`\n${failures} failures in ${part}`);
  return failures === 0 ? 0 : 1;
}

function readable(data: string): readonly Recording[] {
  return formats.flatMap((format) => recordingsOf(data, format));
}

function report(data: string): void {
  const recordings = readable(data);
  console.log(`${recordings.length} recorded calls`);
  for (const exclusion of exclusions) {
    const calls = recordings.filter((recording) => exclusionOf(recording) === exclusion).length;
    if (calls > 0) console.log(`left out ${calls}: ${exclusion.what} (${exclusion.why})`);
  }
}
