import { GatewayError } from '../../src/kernel/errors.ts';
import { parseBody } from '../../src/kernel/json/parse-body.ts';
import type { Framing, ProviderFormat } from '../../src/kernel/wire-format.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { bedrockConverse, providerFormatByName, wireByName, wireFormats } from '../../src/wire/index.ts';
import { clientRequestFrom, encodeEvents, replay } from '../support/wire/replay.ts';
import { answeringDialects, type Dialect, dialects, type Frame } from './dialects.ts';
import { everyMutation } from './mutated-json.ts';

export interface CodecTally {
  readonly tried: number;
  readonly failures: readonly string[];
}

/** Every good request with every single thing wrong in it, read and written in every format; `step` leaves some out. */
export function fuzzRequests(step = 1, first = 0): CodecTally {
  return tried(step, first, requests(), ({ wire: { name }, json }) => {
    const wire = wireByName(name);
    let body: JsonObject;
    try {
      body = parseBody(Buffer.from(json()));
    } catch (refused) {
      return refused;
    }
    const read = () => wire?.decodeRequest(body) ?? { model: '', max_tokens: 1, messages: [] };
    return [
      ...wireFormats.map((other) => faultOf(() => other.encodeRequest(read()))),
      ...makers.map((model) => faultOf(() => bedrockConverse.encodeRequest({ ...read(), model }))),
    ];
  });
}

/** Every good answer likewise: whatever a provider says, it is read without a fault, and can be written. */
export function fuzzAnswers(step = 1, first = 0): CodecTally {
  return tried(step, first, answers(), ({ wire, json, framing }) =>
    wireFormats.flatMap((other) =>
      (['everything', 'milestones'] as const).map((interest) =>
        faultOf(() => {
          const { events } = replay({ wire, framing, bytes: Buffer.from(json()), interest });
          if (interest === 'everything')
            for (const to of ['json', 'sse'] as const)
              encodeEvents(other.replyEncoder(to, clientRequestFrom(other, {})), events);
        }),
      ),
    ),
  );
}

/** Whose models take different things behind Converse. */
const makers = ['amazon.nova-lite-v1:0', 'meta.llama4-v1:0', 'arn:aws:bedrock:eu-central-1:1:x/y'];

interface MutatedInput {
  readonly wire: ProviderFormat;
  readonly framing: Framing;
  readonly json: () => string;
}

function* requests(): Generator<MutatedInput> {
  for (const { name, requests: good } of dialects)
    for (const request of good)
      for (const json of everyMutation({ ...request, model: 'm' }))
        yield { wire: wireOf(name), framing: 'json', json };
}

function* answers(): Generator<MutatedInput> {
  for (const dialect of answeringDialects) {
    const wire = wireOf(dialect.name);
    for (const json of everyMutation(dialect.whole)) yield { wire, framing: 'json', json };
    for (const at of dialect.frames.keys())
      for (const json of everyMutation(dialect.frames[at]?.data))
        yield { wire, framing: 'sse', json: () => withFrame(dialect, at, json()) };
  }
}

function withFrame({ frames }: Dialect, at: number, json: string): string {
  return frames.map((frame, index) => textOf(frame, index === at ? json : undefined)).join('');
}

function textOf({ event, data }: Frame, json: string | undefined): string {
  const said = json ?? (data === undefined ? '[DONE]' : JSON.stringify(data));
  return `${event === '' ? '' : `event: ${event}\n`}data: ${said}\n\n`;
}

function tried(
  step: number,
  first: number,
  all: Iterable<MutatedInput>,
  faultsOf: (one: MutatedInput) => unknown,
): CodecTally {
  const failures: string[] = [];
  let at = -first;
  let count = 0;
  for (const one of all) {
    if (at++ % step !== 0) continue;
    count++;
    for (const fault of [faultsOf(one)].flat())
      if (fault !== undefined && !GatewayError.is(fault))
        failures.push(
          `${one.wire.name} as ${one.framing}: ${inWords(fault)}\n  ${one.json().slice(0, 2000)}`,
        );
  }
  return { tried: count, failures };
}

function inWords(fault: unknown): string {
  return fault instanceof Error
    ? (fault.stack ?? fault.message).split('\n').slice(0, 4).join('\n')
    : String(fault);
}

/** What it throws; undefined where it doesn't. */
function faultOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (fault) {
    return fault;
  }
}

function wireOf(name: string): ProviderFormat {
  const wire = providerFormatByName(name);
  if (wire === undefined) throw new Error(`there is no format "${name}"`);
  return wire;
}
