import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../src/lib/json.ts';
import { objectOf } from '../../../src/wire/json-values.ts';
import { cutsFor } from './cuts.ts';
import type { Recording } from './recordings.ts';
import { asking, play, type Stage, sentTo } from './stage.ts';
import type { Row } from './tally.ts';

/** A client that doesn't ask for usage must not see that the gateway does: the recorded stream comes without it. */
export async function replayUnasked(stage: Stage, recording: Recording, row: Row): Promise<void> {
  if (!isAsked(recording)) return;
  for (const { name, cuts } of [{ name: 'as it came', cuts: [] }, ...cutsFor(recording)])
    row.count(`usage unasked, ${name}`, await hidden(stage, recording, cuts), recording);
}

function isAsked({ kind, body, status }: Recording): boolean {
  return kind === 'sse' && status === 200 && objectOf(objectOf(body)?.stream_options)?.include_usage === true;
}

async function hidden(
  stage: Stage,
  recording: Recording,
  cuts: readonly number[],
): Promise<readonly string[]> {
  const { stream_options: _, ...body }: JsonObject = objectOf(recording.body) ?? {};
  play(stage, recording, cuts);
  const sending = recording.format.sent({ ...body, model: `${asking}/${body.model}` });
  const answer = await fetch(stage.weir.url + sending.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sending.body),
  });
  const got = await answer.text();
  const found: string[] = [];
  if (got !== unasked(recording.bytes.toString('utf8'))) found.push(`answer differs: ${got.slice(0, 300)}`);
  if (!isDeepStrictEqual(sentTo(stage)?.json, recording.body)) found.push('the request differs');
  return found;
}

/** What the provider would have sent, by the plainest means. */
function unasked(stream: string): string {
  return stream
    .split(/(?<=\n\r?\n)/)
    .filter((frame) => !isUsageAlone(frame))
    .map((frame) => frame.replace(',"usage":null', ''))
    .join('');
}

function isUsageAlone(frame: string): boolean {
  if (!frame.startsWith('data: {')) return false;
  const { choices, usage } = JSON.parse(frame.slice('data: '.length));
  return Array.isArray(choices) && choices.length === 0 && usage != null;
}
