import { objectOf } from '../../../src/wire/json-values.ts';
import { cutsFor } from './cuts.ts';
import type { Recording } from './recordings.ts';
import { play, type Stage, sentTo } from './stage.ts';
import type { Row } from './tally.ts';
import { replayUnasked } from './unasked.ts';

/** A client of the provider's own format must get its bytes, and the provider the client's, however they are cut. */
export async function replaySame(stage: Stage, recording: Recording, row: Row): Promise<void> {
  row.count('as it came', await identical(stage, recording, []), recording);
  for (const { name, cuts } of cutsFor(recording))
    row.count(name, await identical(stage, recording, cuts), recording);
  if (recording.format.wire.usageOptIn !== undefined) await replayUnasked(stage, recording, row);
}

async function identical(
  stage: Stage,
  recording: Recording,
  cuts: readonly number[],
): Promise<readonly string[]> {
  const { format, status, bytes } = recording;
  const body = objectOf(recording.body) ?? {};
  const recorded = Buffer.from(JSON.stringify(format.sent(body).body));
  const sending = format.sent({ ...body, model: `${format.provider}/${body.model}` });
  play(stage, recording, cuts);
  const answer = await fetch(stage.weir.url + sending.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sending.body),
  });
  const got = Buffer.from(await answer.arrayBuffer());
  const found: string[] = [];
  if (answer.status !== status) found.push(`status ${answer.status} for ${status}: ${got.subarray(0, 300)}`);
  else if (!got.equals(bytes)) found.push(`answer differs: ${got.subarray(0, 300)}`);
  if (sentTo(stage)?.bytes.equals(recorded) !== true) found.push('the request differs');
  return found;
}
