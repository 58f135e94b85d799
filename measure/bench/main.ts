import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderChart } from './chart.ts';
import { startServer } from './child.ts';
import { about } from './circumstances.ts';
import { type Comparison, compare } from './compare.ts';
import { endOnSignals } from './end-on-signals.ts';
import { goalLine, goals } from './goals.ts';
import { numberOption } from './number-option.ts';
import { chartFile, writePage } from './page.ts';
import { installPortkey, portkeyVersion } from './portkey.ts';
import { type Row, rowNamed, rows } from './rows.ts';
import { lineUp } from './subjects.ts';
import { alignedTable, legend } from './table.ts';
import { WarmUp } from './warm-up.ts';

/** `npm run bench`, or a part of it: `npm run bench -- --rows relay-1kb,cache-hit --rounds 3 --warm-up 5000 --portkey none`. */
const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    'warm-up': { type: 'string', default: '40000' },
    portkey: { type: 'string', default: portkeyVersion },
    chart: { type: 'string', default: join(tmpdir(), 'weir-benchmarks.svg') },
    docs: { type: 'boolean', default: false },
  },
});
const rounds = numberOption('rounds', values.rounds);
const warmUp = new WarmUp(numberOption('warm-up', values['warm-up']));
const named = values.rows?.split(',').map((name) => rowNamed(name.trim()));
const chosen = named ?? rows.filter(({ onlyNamed }) => !onlyNamed);
const startedMs = performance.now();
endOnSignals();

const portkeyFolder = await portkeyIfPossible();
const comparisons = await measureAll();
const circumstances = about(portkeyFolder === undefined ? undefined : values.portkey, rounds);
const achieved = goals(comparisons).map(goalLine);
console.log([alignedTable(comparisons), legend, circumstances, achieved.join('\n')].join('\n\n'));
const chart = values.docs ? chartFile : values.chart;
writeFileSync(chart, renderChart(comparisons, circumstances));
if (values.docs) writePage({ comparisons, circumstances, achieved });
say(`the chart is ${chart}; ${secondsSoFar()} s in all`);

async function portkeyIfPossible(): Promise<string | undefined> {
  if (values.portkey === 'none') return undefined;
  say(`installing Portkey ${values.portkey} …`);
  try {
    return await installPortkey(values.portkey);
  } catch (failure) {
    say(`without Portkey, which could not be installed: ${String(failure).replaceAll(/\s+/g, ' ')}`);
    return undefined;
  }
}

async function measureAll(): Promise<readonly Comparison[]> {
  // What memory streams take is seen in fresh processes only, and what they leave behind is not for others to carry.
  const isHeld = ({ heldStreams }: Row): boolean => heldStreams !== undefined;
  const done = [
    ...(await measure(chosen.filter(isHeld))),
    ...(await measure(chosen.filter((row) => !isHeld(row)))),
  ];
  return chosen.flatMap((row) => done.filter((comparison) => comparison.row === row));
}

/** Measures rows in the same processes. */
async function measure(together: readonly Row[]): Promise<readonly Comparison[]> {
  await using children = new AsyncDisposableStack();
  const find = lineUp(children, portkeyFolder ?? '');
  const { child: load } = await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] });
  children.use(load);
  const done: Comparison[] = [];
  for (const row of together) {
    say(`${row.name} … (after ${secondsSoFar()} s)`);
    const subjects = [];
    for (const name of row.subjects)
      if (name !== 'portkey' || portkeyFolder !== undefined) subjects.push(await find(name));
    const direct = await find('direct');
    done.push(await compare({ load, row, direct, subjects, warmUp, rounds }));
  }
  return done;
}

function secondsSoFar(): string {
  return ((performance.now() - startedMs) / 1000).toFixed(0);
}

/** Progress, apart from the results. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
