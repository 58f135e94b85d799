import { asHeader, asPath } from '../texts/fields.ts';
import { modules } from '../texts/subject.ts';
import { textOf, units } from '../texts/units.ts';
import type { Case } from './cases.ts';
import type { Dialect } from './dialects.ts';
import { withText } from './mutated-json.ts';
import type { Random } from './random.ts';

const pipelines = Object.values(modules).filter((pipeline) => pipeline !== '');
const headers = [
  'x-weir-pipeline',
  'x-weir-conversation',
  'user-agent',
  'anthropic-beta',
  'cookie',
  'accept',
];
/** Characters of the longest text; far more and the client and the provider here take most of the time. */
const charactersMax = 200_000;
/** A head has room for so many, and a name for fewer. */
const headCharactersMax = 24_000;
const nameCharactersMax = 256;

/** A good call with a text that is long or strange in one place: its texts, its path, its model, its end user or a header. */
export function hostileText(
  client: Dialect,
  model: string,
  streamed: boolean,
  random: Random,
): Partial<Pick<Case, 'path' | 'headers' | 'body'>> {
  const request = { ...random.pick(client.requests), model, stream: streamed };
  const pipeline = ['x-weir-pipeline', random.pick(pipelines)];
  const turn = random.next();
  if (turn < 0.5)
    return {
      headers: pipeline,
      body: withText(request, madeUp(random, charactersMax), random, 1 + random.below(3)),
    };
  if (turn < 0.6) {
    const user = madeUp(random, random.happens(0.5) ? nameCharactersMax : charactersMax);
    const named = { metadata: { user_id: user }, user, safety_identifier: user };
    return { headers: pipeline, body: JSON.stringify({ ...request, ...named }) };
  }
  if (turn < 0.75) {
    const name = `${random.pick(['', model, `${model}-`, 'openai/'])}${madeUp(random, nameCharactersMax)}`;
    if (random.happens(0.3)) return { path: `/v1/models/${asPath(name)}`, headers: [], body: undefined };
    return { path: client.path(asPath(name), streamed), body: JSON.stringify({ ...request, model: name }) };
  }
  const text = madeUp(random, headCharactersMax);
  if (turn < 0.9) {
    const root = random.pick([
      '',
      'v1/',
      'v1/models/',
      'v1beta/models/',
      'v1/messages/',
      'docs/',
      `${client.path(asPath(model), streamed).slice(1)}?a=`,
    ]);
    const path = `/${root}${asPath(text)}`.slice(0, headCharactersMax);
    return { path, headers: [], body: random.happens(0.5) ? undefined : JSON.stringify(request) };
  }
  return { headers: [random.pick(headers), asHeader(text)], body: JSON.stringify(request) };
}

/** Runs of one unit, or of several; short ones as often as long ones. */
function madeUp(random: Random, most: number): string {
  const characters = Math.ceil(most ** (0.3 + 0.7 * random.next()));
  const runs = random.happens(0.7) ? 1 : 2 + random.below(3);
  const parts = Array.from({ length: runs }, () => textOf(random.pick(units), Math.ceil(characters / runs)));
  return parts.join('').slice(0, most);
}
