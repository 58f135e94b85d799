import { ClientRequest } from '../../../src/kernel/client-request.ts';
import { LazyJsonObject } from '../../../src/kernel/json/lazy-json-object.ts';
import { objectOf } from '../../../src/wire/json-values.ts';
import { framesIn } from './facts.ts';
import { type Format, formats } from './formats.ts';
import type { Recording } from './recordings.ts';

const rounds = 5;

/** What it costs to translate the recorded streams, without the network: a line a pair. */
export function translationCosts(recordings: readonly Recording[]): readonly string[] {
  const lines = ['\nTranslation of a streamed event, recorded streams, best of 5'];
  for (const provider of formats) {
    const streams = recordings.filter(({ format, kind }) => format === provider && kind === 'sse');
    const events = streams.reduce((sum, { bytes }) => sum + framesIn(bytes).length, 0);
    for (const client of formats) {
      if (client === provider) continue;
      const ms = Math.min(...Array.from({ length: rounds }, () => translated(streams, client)));
      const name = `${provider.wire.name} → ${client.wire.name}`;
      lines.push(`${name}: ${((ms * 1000) / events).toFixed(1)} µs (${events} events)`);
    }
  }
  return lines;
}

/** Frame by frame, as a model that thinks between its words sends them. */
function translated(streams: readonly Recording[], client: Format): number {
  let ms = 0;
  for (const { format, bytes, body } of streams) {
    const asked = new ClientRequest({
      wire: client.wire,
      fields: LazyJsonObject.of(Buffer.from(JSON.stringify(objectOf(body) ?? {}))),
      headers: [],
      query: '',
    });
    const frames = splitAfterFrames(bytes);
    const startedAt = performance.now();
    const decoder = format.wire.replyDecoder('sse', 'everything');
    const encoder = client.wire.replyEncoder('sse', asked);
    for (const frame of frames) for (const event of decoder.push(frame)) encoder.push(event);
    for (const event of decoder.end()) encoder.push(event);
    encoder.end();
    ms += performance.now() - startedAt;
  }
  return ms;
}

function splitAfterFrames(bytes: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf('\n\n'); end >= 0; end = bytes.indexOf('\n\n', from)) {
    frames.push(bytes.subarray(from, end + 2));
    from = end + 2;
  }
  return [...frames, bytes.subarray(from)];
}
