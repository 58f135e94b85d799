import { cutsFor } from './cuts.ts';
import { differences, type Facts, type Outcome, withObject } from './facts.ts';
import type { Format } from './formats.ts';
import { outcomeOf } from './outcome.ts';
import { questionFor } from './question.ts';
import type { Recording } from './recordings.ts';
import { play, type Stage } from './stage.ts';
import type { Row } from './tally.ts';

/** A client of another format must be able to read the answer with its vendor's SDK, and find the same in it. */
export async function replayCross(stage: Stage, recording: Recording, row: Row): Promise<void> {
  const wanted = outcomeOf(recording);
  const stream = recording.kind === 'sse';
  const what = 'error' in wanted ? 'errors' : stream ? 'streamed' : 'whole';
  const body = questionFor(recording, row.client, wanted);
  const replay = async (name: string, asked: { stream: boolean; cuts?: readonly number[] }) => {
    play(stage, recording, asked.cuts);
    const asking = { url: stage.weir.url, body, stream: asked.stream };
    const got = await row.client.ask(asking).catch(thrown);
    const faults =
      got instanceof Error
        ? refusalFaults(recording, wanted, got)
        : answerFaults(wanted, row.client.whole(got), row.client);
    row.count(name, faults, recording);
  };
  await replay(what, { stream });
  if ('error' in wanted) return;
  for (const { name, cuts } of cutsFor(recording)) await replay(name, { stream, cuts });
  await replay(stream ? 'streamed, read whole' : 'whole, read streamed', { stream: !stream });
}

function thrown(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** An error has to arrive as one, with its status and its words; quotes in them may be escaped. */
function refusalFaults({ status }: Recording, wanted: Outcome, got: Error): readonly string[] {
  if (!('error' in wanted)) return [`the client threw: ${got.message.slice(0, 300)}`];
  const found: string[] = [];
  const shown = 'status' in got ? got.status : undefined;
  if (status >= 300 && shown !== status) found.push(`status: ${JSON.stringify([status, shown])}`);
  const escaped = JSON.stringify(wanted.error).slice(1, -1);
  if (![wanted.error, escaped].some((words) => got.message.includes(words)))
    found.push(`words: ${JSON.stringify([wanted.error, got.message])}`);
  return found;
}

function answerFaults(wanted: Outcome, got: Outcome, client: Format): readonly string[] {
  if ('error' in wanted)
    return 'error' in got && got.error.includes(wanted.error) ? [] : ['the error did not arrive'];
  if ('error' in got) return [`an error arrived: ${got.error}`];
  // Why there is no answer is a text to some clients.
  const { stop, text } = wanted.facts;
  const told = stop === 'refusal' && text === '' ? { ...got.facts, text } : got.facts;
  return differences(expressible(wanted.facts, client), told);
}

/** What the client's format can say of a reason to stop. */
export function expressible(facts: Facts, { api }: Format): Facts {
  if (api === 'anthropic.messages') return facts;
  const stop = coarse[facts.stop] ?? facts.stop;
  const natural = stop === 'end_turn' || stop === 'tool_use';
  const byCalls = facts.calls.length > 0 ? 'tool_use' : 'end_turn';
  // Google's APIs have no word for what is written to a cache.
  const unwritten = { ...facts.usage, written: 0 };
  if (api === 'gemini.generateContent') return { ...facts, stop: natural ? byCalls : stop, usage: unwritten };
  if (api === 'gemini.interactions')
    return { ...facts, stop: natural ? byCalls : stop, usage: unwritten, calls: facts.calls.map(withObject) };
  return { ...facts, stop: api === 'openai.responses' && natural ? byCalls : stop };
}

const coarse: Readonly<Record<string, string>> = {
  '': 'end_turn',
  stop_sequence: 'end_turn',
  pause_turn: 'end_turn',
  model_context_window_exceeded: 'max_tokens',
};
