import { answeringDialects, type Dialect, dialects } from './dialects.ts';
import { endpointCase } from './endpoint-cases.ts';
import { goodAnswer, type HostileAnswer, hostileAnswer } from './hostile-answer.ts';
import { hostileText } from './hostile-text.ts';
import { mutatedJson } from './mutated-json.ts';
import { Random } from './random.ts';

/**
 * Who is hostile: the client by what it asks or by the texts that it sends, or the provider by what it answers; at endpoints without a
 * canonical form, one of the two.
 */
export type Side = 'clients' | 'providers' | 'texts' | 'endpoints';

export const sides: readonly Side[] = ['clients', 'providers', 'texts', 'endpoints'];

/** One call with something wrong in it. */
export interface Case {
  readonly side: Side;
  /** By which it can be had again, with the seed. */
  readonly number: number;
  readonly client: Dialect;
  readonly provider: Dialect;
  readonly streamed: boolean;
  readonly headers: readonly string[];
  readonly path: string;
  /** Undefined where the call only asks for what is at its path. */
  readonly body: string | undefined;
  readonly answer: HostileAnswer;
  /** The client leaves when the answer has begun. */
  readonly leaves: boolean;
}

const pipelines = [
  '',
  '',
  '',
  'exact-cache',
  'exact-cache, cost-guard?day=1000000',
  'cost-guard?request=1000',
];

/** Always the same for a seed and a number. */
export function caseOf(side: Side, seed: number, number: number): Case {
  const random = new Random(seed, number, sides.indexOf(side) + 1);
  if (side === 'endpoints') return endpointCase(number, random);
  const client = random.pick(dialects);
  const provider = random.pick(answeringDialects);
  const streamed = random.happens(0.5);
  const pipeline = random.pick(pipelines);
  const isHostileClient = side !== 'providers';
  const model = modelOf(provider, random, isHostileClient);
  const asksStream = streamed && model !== 'demo-1';
  const good: Case = {
    side,
    number,
    client,
    provider,
    streamed,
    headers: pipeline === '' ? [] : ['x-weir-pipeline', pipeline],
    path: client.path(model, asksStream),
    body:
      side === 'clients'
        ? hostileRequest(client, model, asksStream, random)
        : JSON.stringify({
            ...client.requests.at(-1),
            model,
            stream: side === 'texts' ? asksStream : streamed,
          }),
    answer: isHostileClient ? goodAnswer(provider, streamed) : hostileAnswer(provider, streamed, random),
    leaves: random.happens(0.02),
  };
  return side === 'texts' ? { ...good, ...hostileText(client, model, asksStream, random) } : good;
}

/** Clients also ask the model that is built in, which reads what it is asked. */
function modelOf({ models }: Dialect, random: Random, withDemo: boolean): string {
  return withDemo && random.happens(0.15) ? 'demo-1' : random.pick(models);
}

function hostileRequest(client: Dialect, model: string, streamed: boolean, random: Random): string {
  const request = { ...random.pick(client.requests), model, stream: streamed };
  const json = mutatedJson(request, random, random.happens(0.3) ? 2 : 1);
  if (random.happens(0.97)) return json;
  return random.happens(0.5) ? json.slice(0, random.below(json.length)) : `${json}${json}`;
}
