// `npm run bench:memory`: what memory the gateway takes at rest, after load and a minute later, beside the barest proxy.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startServer } from './child.ts';
import { endOnSignals } from './end-on-signals.ts';
import { calm, flood, usageOf } from './measure.ts';
import { numberOption } from './number-option.ts';
import { rowNamed } from './rows.ts';
import { lineUp, type Subject, type SubjectName } from './subjects.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '8' } } });
const seconds = numberOption('seconds', values.seconds);
const names: readonly SubjectName[] = ['bare', 'weir, default', 'weir, key'];
const rows = ['relay-1kb', 'relay-100kb', 'stream-500'].map(rowNamed);
/** What is put off is done by then, and buffers that nobody holds are gone. */
const settleMs = 2500;
/** Nobody has called for so long at the end. */
const minuteMs = 60_000;

endOnSignals();
// Types are stripped and code is compiled at the first start after a change, which leaves more behind than any other.
await started(async (find) => {
  for (const name of names) await find(name);
});
await started(async (find) => {
  const load = await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] });
  await using _ = load.child;
  const done: Figures[] = [];
  for (const name of names) done.push(await measure(await find(name), load.child));
  await wait(minuteMs);
  console.log(
    'RSS in MB               at rest  a few calls  after load  a minute on    CPU µs of a 1 KB call',
  );
  for (const figures of done) console.log(await lineOf(figures));
});

type Find = ReturnType<typeof lineUp>;

interface Figures {
  readonly subject: Subject;
  /** RSS at rest, after a few calls and after load. */
  readonly rssBytes: readonly number[];
  readonly cpuMicros: number;
}

async function started(use: (find: Find) => Promise<void>): Promise<void> {
  await using children = new AsyncDisposableStack();
  await use(lineUp(children, ''));
}

async function measure(subject: Subject, load: Parameters<typeof flood>[0]['load']): Promise<Figures> {
  const [first = rowNamed('relay-1kb')] = rows;
  await calm({ load, subject, row: first }, 0.1);
  await wait(settleMs);
  const few = await usageOf(subject);
  for (const row of rows) await flood({ load, subject, row }, seconds);
  const before = await usageOf(subject);
  const { calls } = await flood({ load, subject, row: first }, seconds / 2);
  await wait(settleMs);
  const after = await usageOf(subject);
  return {
    subject,
    rssBytes: [subject.restBytes, few.rssBytes, after.rssBytes],
    cpuMicros: (after.cpuMicros - before.cpuMicros) / calls,
  };
}

async function lineOf({ subject, rssBytes, cpuMicros }: Figures): Promise<string> {
  const all = [...rssBytes, (await usageOf(subject)).rssBytes];
  const cells = all.map((bytes) => (bytes / 1e6).toFixed(0).padStart(11)).join('');
  return `${subject.name.padEnd(20)}${cells}${cpuMicros.toFixed(0).padStart(18)}`;
}
