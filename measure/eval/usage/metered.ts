import { Meter } from '../../../src/calls/meter.ts';
import type { Usage } from '../../../src/kernel/message.ts';
import type { Interest } from '../../../src/kernel/wire-format.ts';
import type { Recording } from '../wire/recordings.ts';

/** What the gateway meters while this answer passes through it. */
export function metered({ format, kind, bytes }: Recording, interest: Interest): Usage {
  const decoder = format.wire.replyDecoder(kind === 'sse' ? 'sse' : 'json', interest);
  const meter = new Meter();
  // In pieces, as it comes from a network.
  for (let at = 0; at < bytes.length; at += pieceBytes)
    for (const event of decoder.push(bytes.subarray(at, at + pieceBytes))) meter.observe(event);
  for (const event of decoder.end()) meter.observe(event);
  return meter.usage;
}

const pieceBytes = 1000;
