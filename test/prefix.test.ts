import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { formats } from '../scripts/eval-wire/formats.ts';
import { openaiResponsesRefusals } from '../scripts/eval-wire/refusals/openai.ts';
import { refusalsOf } from '../scripts/eval-wire/refusals/refusal.ts';
import { targets } from '../scripts/eval-wire/targets.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { objectOf } from '../src/wire/read.ts';
import { ask } from './support/asking.ts';
import { framesIn, keptOf, type Talk, talks } from './support/talking.ts';

/** Of conversations of 50 turns a few here, and as many as are asked for by `WEIR_PREFIX_RUNS=1000 node --test test/prefix.test.ts`. */
const runs = Number(process.env.WEIR_PREFIX_RUNS ?? 4);
const turnCount = 50;
const modules = ['picker', 'hinter', 'folder', 'teller', 'meddler'];

const fake = await FakeUpstream.start();
const weir = await startTestGateway({
  WEIR_MODULES: fileURLToPath(import.meta.resolve('./support/editing-modules.ts')),
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
});
after(async () => {
  await weir.close();
  await fake.close();
});

/** What clients do. */
type Move = 'goOn' | 'again' | 'takeBack' | 'branch' | 'compact' | 'otherTools';

const moves: fc.Arbitrary<readonly { move: Move; pick: number }[]> = fc.array(
  fc.record({
    move: fc.oneof(
      { weight: 70, arbitrary: fc.constant<Move>('goOn') },
      ...(['again', 'takeBack', 'branch', 'compact', 'otherTools'] as const).map((move) => ({
        weight: 5,
        arbitrary: fc.constant<Move>(move),
      })),
    ),
    pick: fc.nat(1000),
  }),
  { minLength: turnCount, maxLength: turnCount },
);

/** A call of the client's, and what its provider was asked in it. */
interface Node {
  readonly asked: JsonObject;
  readonly answer: JsonObject;
  readonly sent: readonly SeenRequest[];
}

let count = 0;

/** A conversation that a scripted model and a restless client have through a stack of modules. */
class Walk {
  readonly #talk: Talk;
  readonly #pipeline: string;
  readonly #seed: number;
  #said = 0;
  /** The last call that was made with each request: its provider has kept what it was asked then. */
  readonly #latest = new Map<string, Node>();
  #tools = ['read', 'write', 'find', 'run', 'list'];

  constructor(talk: Talk, stack: readonly string[], seed: number) {
    this.#talk = talk;
    this.#pipeline = stack.length === 0 ? 'none' : stack.join(',');
    this.#seed = seed;
    fake.requests.length = 0;
    fake.answerWith((request) => ({ body: this.#says(request) }));
  }

  #says({ json }: SeenRequest): JsonObject {
    const number = ++this.#said;
    const dice = (number * 7919 + this.#seed) % 10;
    const offered = this.#talk.toolsIn(json);
    const called = dice < 4 ? 1 : dice < 6 ? 2 : 0;
    const calls = Array.from({ length: Math.min(called, offered.length) }, (_, at) => ({
      id: `call_${this.#seed}_${number}_${at}`,
      name: offered[(number + at * 3 + this.#seed) % offered.length] ?? '',
    }));
    const text = calls.length === 0 || dice % 2 === 0 ? `Said ${number}.` : '';
    return this.#talk.answer({ text, calls, ...(dice === 1 && { thought: `Thought ${number}.` }) });
  }

  async run(all: readonly { move: Move; pick: number }[]): Promise<void> {
    const nodes = [await this.#call(this.#opening(), undefined)];
    let at = nodes[0];
    for (const { move, pick } of all) {
      if (at === undefined) throw new Error('there is no call');
      const made = await this.#moved(move, { at, other: nodes[pick % nodes.length] ?? at });
      nodes.push(...made);
      at = made[pick % made.length];
    }
  }

  async #moved(move: Move, { at, other }: { at: Node; other: Node }): Promise<readonly Node[]> {
    switch (move) {
      case 'goOn':
        return [await this.#goOn(at)];
      case 'again':
        return [await this.#call(at.asked, this.#latest.get(JSON.stringify(at.asked))?.sent[0])];
      case 'takeBack':
        return [await this.#goOn(other)];
      case 'branch':
        return Promise.all([this.#goOn(at), this.#goOn(at)]);
      case 'compact':
        return [await this.#call(this.#opening(), undefined)];
      case 'otherTools': {
        this.#tools = [...this.#tools, `tool${++count}`];
        const asked = this.#talk.goingOn(at.asked, at.answer, `Other tools ${++count}.`);
        return [await this.#call(this.#talk.withTools(asked, this.#tools), undefined)];
      }
    }
  }

  #opening(): JsonObject {
    return this.#talk.opening(`Question ${++count} of ${this.#seed}.`, this.#tools);
  }

  #goOn(from: Node): Promise<Node> {
    const latest = this.#latest.get(JSON.stringify(from.asked));
    const kept = latest === from ? from.sent.at(-1) : latest?.sent[0];
    return this.#call(this.#talk.goingOn(from.asked, from.answer, `Then ${++count}.`), kept);
  }

  /** `kept` is what the provider has of it, where the client has changed nothing of that. */
  async #call(asked: JsonObject, kept: SeenRequest | undefined): Promise<Node> {
    const id = `${++count}`;
    const stream = (count + this.#seed) % 3 === 0;
    const { status, text, json, headers } = await ask(`${weir.url}${this.#talk.path}`, {
      headers: { 'x-weir-pipeline': this.#pipeline, 'x-test-call': id, 'x-weir-trace': 'on' },
      body: { ...asked, stream },
    });
    assert.equal(status, 200, text);
    // What modules have to say of a stream is known at its end.
    const trace = stream ? (/^: weir (.*)$/m.exec(text)?.[1] ?? '') : (headers.get('x-weir-modules') ?? '');
    assert.doesNotMatch(trace, /not-repeated|not-kept|tool_failed/);
    for (const [, name] of trace.matchAll(/(\w+);[^,]*edit-left-out/g))
      assert.ok(name === 'meddler' || name === 'folder', trace);
    const sent = fake.requests.filter((request) => request.headers['x-test-call'] === id);
    for (const request of sent) this.#checkValid(request, asked);
    // What is sent within one call only grows, too.
    if (!/folder;[^,]*step=pays/.test(trace))
      for (const [at, request] of sent.entries()) checkBegins(at === 0 ? kept : sent[at - 1], request);
    const answer = stream ? this.#talk.told(framesIn(text)) : (objectOf(json) ?? {});
    const node = { asked, answer, sent };
    this.#latest.set(JSON.stringify(asked), node);
    return node;
  }

  #checkValid({ json }: SeenRequest, client: JsonObject): void {
    const { model, path } = this.#talk;
    const format = formats.find(({ clientPath }) => clientPath === path) ?? assert.fail(path);
    const known = targets.find((target) => model.includes(target.model)) ?? targets[1];
    const target = { ...(known ?? assert.fail(model)), model };
    const rules = path === '/v1/responses' ? openaiResponsesRefusals : target.refusals;
    const said = { body: json, asked: format.asked(json) };
    assert.deepEqual(refusalsOf(rules, target, said, format.asked(client)), [], JSON.stringify(json));
  }
}

/** What a provider has kept of the one is how the other begins, byte for byte. */
function checkBegins(before: SeenRequest | undefined, now: SeenRequest | undefined): void {
  if (before === undefined || now === undefined) return;
  const [kept, sent] = [keptOf(before), keptOf(now)];
  assert.equal(sent.head, kept.head);
  assert.deepEqual(sent.turns.slice(0, kept.turns.length), kept.turns);
}

for (const talk of talks)
  test(`what a provider keeps of a conversation stays as it is, whatever modules and clients do: ${talk.name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(modules), moves, fc.nat(1e6), (stack, all, seed) =>
        new Walk(talk, stack, seed).run(all),
      ),
      { numRuns: runs, endOnFailure: true },
    );
  });
