import type { JsonObject } from '../../src/kernel/json.ts';
import { Outline } from '../../src/kernel/outline.ts';
import { patchJson } from '../../src/kernel/patch-json.ts';
import { objectOf } from '../../src/wire/read.ts';
import { cutsFor } from './cuts.ts';
import type { Recording } from './recordings.ts';
import { play, type Stage } from './stage.ts';
import type { Row } from './tally.ts';
import { replayUnasked } from './unasked.ts';

/** A client of the provider's own format must get its bytes, and the provider the client's, however they are cut. */
export async function replaySame(stage: Stage, recording: Recording, row: Row): Promise<void> {
  row.count('as it came', await identical(stage, recording, []), recording);
  for (const { name, cuts } of cutsFor(recording))
    row.count(name, await identical(stage, recording, cuts), recording);
  if (recording.format.wire.usageQuestion !== undefined) await replayUnasked(stage, recording, row);
}

async function identical(
  stage: Stage,
  recording: Recording,
  cuts: readonly number[],
): Promise<readonly string[]> {
  const { format, body, status, bytes } = recording;
  const recorded = Buffer.from(JSON.stringify(body));
  const model = String(objectOf(body)?.model);
  const sent = patchJson(Outline.of(recorded), { model: `${format.provider}/${model}` } satisfies JsonObject);
  play(stage, recording, cuts);
  const answer = await fetch(stage.weir.url + format.clientPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(sent),
  });
  const got = Buffer.from(await answer.arrayBuffer());
  const found: string[] = [];
  if (answer.status !== status) found.push(`status ${answer.status} for ${status}: ${got.subarray(0, 300)}`);
  else if (!got.equals(bytes)) found.push(`answer differs: ${got.subarray(0, 300)}`);
  if (stage.fake.requests.at(0)?.bytes.equals(recorded) !== true) found.push('the request differs');
  return found;
}
