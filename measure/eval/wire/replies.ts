import { replayFromConverse } from './converse.ts';
import { replayCross } from './cross-format.ts';
import { formats } from './formats.ts';
import type { Recording } from './recordings.ts';
import { replaySame } from './same-format.ts';
import { startStage } from './stage.ts';
import { Row, tableOf } from './tally.ts';
import { translationCosts } from './translation-cost.ts';

/** Every recorded answer, as clients of its own format and of the others get it; returns how many were wrong. */
export async function judgeReplies(recordings: readonly Recording[]): Promise<number> {
  const stage = await startStage();
  const rows: Row[] = [];
  for (const provider of formats)
    for (const client of [provider, ...formats.filter((other) => other !== provider)]) {
      const row = new Row(provider.wire.name, client);
      for (const call of recordings.filter(({ format }) => format === provider))
        await (client === provider ? replaySame(stage, call, row) : replayCross(stage, call, row));
      rows.push(row);
      console.log(`${row.name}: ${row.calls} calls in ${row.seconds.toFixed(0)} s`);
    }
  rows.push(...(await replayFromConverse(stage, recordings)));
  await stage.close();
  report(rows);
  for (const line of translationCosts(recordings)) console.log(line);
  return rows.flatMap((row) => row.failures).length;
}

function report(rows: readonly Row[]): void {
  for (const failure of rows.flatMap((row) => row.failures)) console.log(`FAIL ${failure}`);
  const own = rows.filter(({ isOwn }) => isOwn);
  const others = rows.filter(({ isOwn }) => !isOwn);
  console.log(`\nProvider and client speak the same format: byte for byte, both ways\n${tableOf(own)}`);
  console.log(`\nProvider → client of another format, read by the vendor's own SDK\n${tableOf(others)}`);
}
