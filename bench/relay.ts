import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from './child.ts';
import { type Comparison, compare } from './compare.ts';
import { endOnSignals } from './end-on-signals.ts';
import type { Target } from './measure.ts';
import { numberOption } from './number-option.ts';
import { rowNamed, rows } from './rows.ts';
import { renderTable } from './table.ts';
import { startWeir } from './weir.ts';

/** Compares the gateway with the barest proxy: `npm run bench -- --rounds 11 --rows chat-1kb --max-ratio 1.35`. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    rows: { type: 'string', default: rows.map((row) => row.name).join(',') },
    'max-ratio': { type: 'string' },
  },
});
const rounds = numberOption('rounds', values.rounds);
const maxRatio =
  values['max-ratio'] === undefined ? undefined : numberOption('max-ratio', values['max-ratio']);
const chosen = values.rows.split(',').map((name) => rowNamed(name.trim()).name);
endOnSignals();

const comparisons = await run();
console.log(renderTable(comparisons));
console.log(
  `\nmedians of ${rounds} rounds taken by turns (lowest–highest); the ratio is taken within each round`,
);
const first = comparisons[0];
if (maxRatio !== undefined && first !== undefined && !(first.ratio.median <= maxRatio)) {
  console.error(`${first.row}: weir/bare is ${first.ratio.median.toFixed(2)}, more than ${maxRatio}`);
  process.exitCode = 1;
}

async function run(): Promise<readonly Comparison[]> {
  await using children = new AsyncDisposableStack();
  const file = (name: string): string => join(import.meta.dirname, name);
  const upstream = await startServer({ file: file('upstream.ts'), args: [] });
  children.use(upstream.child);
  const direct = `http://127.0.0.1:${upstream.port}`;
  const load = await startServer({ file: file('load.ts'), args: [] });
  children.use(load.child);
  const bare = await startServer({ file: file('bare-proxy.ts'), args: ['--upstream', direct] });
  children.use(bare.child);
  const weir = children.use(await startWeir(direct));
  const targets: readonly Target[] = [
    { name: 'direct', origin: direct, child: undefined },
    { name: 'bare', origin: `http://127.0.0.1:${bare.port}`, child: bare.child },
    { name: 'weir', origin: weir.origin, child: weir.child },
  ];
  const done: Comparison[] = [];
  for (const [index, row] of chosen.entries()) {
    process.stderr.write(`${row} …\n`);
    // The compiler goes on optimising for tens of thousands of requests; what is common to the rows is warm after the first.
    done.push(await compare(load.child, targets, { row, rounds, warmUpSeconds: index === 0 ? 12 : 1.5 }));
  }
  return done;
}
