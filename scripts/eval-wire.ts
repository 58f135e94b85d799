// Replays recorded calls through the running gateway: npm run eval:wire -- --data <folder>
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { replayCross } from './eval-wire/cross-format.ts';
import { exclusions } from './eval-wire/exclusions.ts';
import { formats } from './eval-wire/formats.ts';
import { type Recording, recordingsOf } from './eval-wire/recordings.ts';
import { replaySame } from './eval-wire/same-format.ts';
import { startStage } from './eval-wire/stage.ts';
import { Row, tableOf } from './eval-wire/tally.ts';
import { translationCosts } from './eval-wire/translation-cost.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const folder = values.data;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else process.exitCode = await evaluate(folder);

async function evaluate(data: string): Promise<number> {
  const startedAt = performance.now();
  const recordings = formats.flatMap((format) => recordingsOf(data, format));
  console.log(`${recordings.length} recorded calls`);
  const stage = await startStage();
  const rows: Row[] = [];
  for (const provider of formats)
    for (const client of [provider, ...formats.filter((other) => other !== provider)]) {
      const row = new Row(provider, client);
      for (const call of usable(recordings, row))
        await (client === provider ? replaySame(stage, call, row) : replayCross(stage, call, row));
      rows.push(row);
      console.log(`${row.name}: ${row.calls} calls in ${row.seconds.toFixed(0)} s`);
    }
  await stage.close();
  report(rows);
  for (const line of translationCosts(recordings)) console.log(line);
  const failures = rows.flatMap((row) => row.failures);
  console.log(`\n${failures.length} failures in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  return failures.length === 0 ? 0 : 1;
}

function usable(recordings: readonly Recording[], row: Row): readonly Recording[] {
  return recordings.filter((recording) => {
    if (recording.format !== row.provider) return false;
    const reason = exclusions.find((exclusion) => exclusion.matches(recording));
    if (reason !== undefined) row.exclude(reason.what);
    return reason === undefined;
  });
}

function report(rows: readonly Row[]): void {
  for (const failure of rows.flatMap((row) => row.failures)) console.log(`FAIL ${failure}`);
  const own = rows.filter(({ provider, client }) => provider === client);
  const others = rows.filter(({ provider, client }) => provider !== client);
  console.log(`\nProvider and client speak the same format: byte for byte, both ways\n${tableOf(own)}`);
  console.log(`\nProvider → client of another format, read by the vendor's own SDK\n${tableOf(others)}`);
  console.log('\nLeft out');
  for (const { what, why } of exclusions)
    for (const row of rows)
      if (row.excluded.has(what)) console.log(`${row.excluded.get(what)} of ${row.name}: ${what} (${why})`);
}
