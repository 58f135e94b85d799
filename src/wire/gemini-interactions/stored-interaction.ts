import type { Turn } from '../../kernel/continuation.ts';
import { systemClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { InteractionReader } from './interaction-reader.ts';
import { InteractionsEncoder } from './reply-encoder.ts';

/** A stored interaction: as in the API, its steps begin with those of its input. A string is a stream, which has the output only. */
export function encodeStored(
  { answer = {}, items, outputCount = 0 }: Turn,
  query: URLSearchParams,
): JsonObject | string {
  const inputCount = items.length - outputCount;
  if (query.get('stream') === 'true') return streamOf({ ...answer, steps: items.slice(inputCount) });
  const input = query.get('include_input') === 'true' ? { input: items.slice(0, inputCount) } : {};
  return { ...answer, ...input, steps: items };
}

function streamOf(interaction: JsonObject): string {
  const encoder = new InteractionsEncoder(interaction, new Date(systemClock.now()));
  const chunks: Uint8Array[] = [];
  new InteractionReader((event) => chunks.push(encoder.push(event) ?? new Uint8Array())).readWhole(
    interaction,
  );
  return Buffer.concat(chunks).toString();
}
