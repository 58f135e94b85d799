import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { JsonObject } from '../src/lib/json.ts';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { objectOf } from '../src/wire/json-values.ts';
import { startScriptedServer } from './mcp/scripted-server.ts';
import { type ConversationDialect, conversationDialects, framesIn } from './support/conversation-dialects.ts';
import { requestJson } from './support/http-client.ts';

/** More of them: `WEIR_REDACTION_RUNS=50 npm test -- test/redaction-property.test.ts`. */
const runs = Number(process.env.WEIR_REDACTION_RUNS ?? 3);

/** The first is masked from some turn on, the second from a later one. */
const secrets = ['zebra-4711', 'yak-0815'] as const;
const both = secrets.join(' ');

const fake = await FakeUpstream.start();
/** Its tool returns what it should not have got. */
const server = await startScriptedServer(
  { after },
  {
    tools: [{ name: 'look' }],
    call: async ({ arguments: input }) => ({
      content: [{ type: 'text', text: `Looked for ${JSON.stringify(input)}, saw ${both}.` }],
    }),
  },
);
const weir = await startTestGateway({
  WEIR_MCP_SERVERS: JSON.stringify({ outside: { url: server.url } }),
  WEIR_MODULES: fileURLToPath(import.meta.resolve('./support/masking-modules.ts')),
  WEIR_EMBEDDINGS: 'off',
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_GEMINI_BASE_URL: fake.url,
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
  GEMINI_API_KEY: 'AIza-tests',
});
await requestJson(`${weir.url}/v1/patterns/import`, {
  body: JSON.stringify({ trigger: 'Then', advice: `Think of ${both}.` }),
});
after(async () => {
  await weir.close();
  await fake.close();
});

const words = encodeURIComponent(both);
const otherModules = [
  'ipc?target=1000&keep_turns=2',
  'rehydrator?scope=account&min_score=0',
  'mcp-optimizer',
  'mcp?approve=all',
  'prompt-optimizer?holdout=0',
  'tool-cache?idempotent=*&holdout=0',
  'patterns?holdout=0',
  'compaction-bridge?holdout=0',
  'semantic-cache',
  'exact-cache',
  'cost-guard',
  `teller?words=${words}`,
  `asker?words=${words}`,
];

interface Trial {
  /** The modules around the mask, and its position among them. */
  readonly stack: readonly string[];
  readonly position: number;
  readonly rerouteTo: string | undefined;
  readonly model: string;
  /** The turns from which on the first secret is masked, and both are. */
  readonly onAt: number;
  readonly bothAt: number;
  readonly moves: readonly ('goOn' | 'again' | 'takeBack' | 'compact')[];
  readonly isNamed: boolean;
  readonly seed: number;
}

const models = conversationDialects.map(({ model }) => model);
const trials: fc.Arbitrary<Trial> = fc.record({
  stack: fc.shuffledSubarray(otherModules),
  position: fc.nat(otherModules.length),
  rerouteTo: fc.option(fc.constantFrom(...models), { nil: undefined }),
  model: fc.constantFrom(...models),
  onAt: fc.nat(4),
  bothAt: fc.integer({ min: 4, max: 8 }),
  moves: fc.array(fc.constantFrom('goOn', 'goOn', 'goOn', 'goOn', 'again', 'takeBack', 'compact'), {
    minLength: 12,
    maxLength: 12,
  }),
  isNamed: fc.boolean(),
  seed: fc.nat(1000),
});

/** Tools, instructions and messages of the client, all with the secrets. */
function withSecrets(asked: JsonObject): JsonObject {
  const json = JSON.stringify(asked)
    .replaceAll('Be brief.', `Be brief about ${both}.`)
    .replaceAll('It takes its time', `It takes ${both}`);
  return JSON.parse(json);
}

let count = 0;

/** The model says the secrets, thinks of them, and hands them to tools. */
function says(seed: number, { url, json }: SeenRequest): JsonObject {
  const talk = conversationDialects.find(({ speaks }) => speaks(url)) ?? assert.fail(url);
  const number = ++count;
  const offered = talk.toolsIn(json);
  const isCall = (number + seed) % 3 === 0 && offered.length > 0;
  const name =
    offered.includes('tell') && number % 2 === 0 ? 'tell' : (offered[number % offered.length] ?? '');
  const calls = isCall ? [{ id: `call_${number}`, name }] : [];
  const thought = talk.name === 'Gemini' ? 'Hm.' : `Is it ${both}?`;
  const answer = talk.answer({
    text: isCall ? '' : `It is ${both} (${number}).`,
    calls,
    ...((number + seed) % 4 === 0 && { thought }),
  });
  const input = JSON.stringify({ to: both });
  return JSON.parse(
    JSON.stringify(answer)
      .replaceAll('"arguments":"{}"', `"arguments":${JSON.stringify(input)}`)
      .replaceAll('"input":{}', `"input":${input}`)
      .replaceAll('"args":{}', `"args":${input}`),
  );
}

/** Runs a conversation; returns how many calls of it were answered. */
async function converse(talk: ConversationDialect, trial: Trial): Promise<number> {
  fake.answerWith((request) => ({ body: says(trial.seed, request) }));
  const opening = () =>
    withSecrets({ ...talk.opening(`Then ${++count}: ${both}.`, ['find', 'read']), model: trial.model });
  const turns: { readonly asked: JsonObject; readonly answer: JsonObject }[] = [];
  let asked = opening();
  for (const [turn, move] of trial.moves.entries()) {
    const masked = secrets.slice(0, Number(turn >= trial.onAt) + Number(turn >= trial.bothAt));
    const { status, text, answer } = await call(talk, asked, {
      trial,
      masked,
      stream: (turn + trial.seed) % 2 === 0,
    });
    // What a format can't express is rejected, and nobody has read it.
    if (status !== 200) {
      assert.ok(status < 500, text);
      return turns.length;
    }
    turns.push({ asked, answer });
    const from = move === 'takeBack' ? turns[(turn + trial.seed) % turns.length] : turns.at(-1);
    if (move === 'compact') asked = opening();
    else if (move !== 'again' && from !== undefined)
      asked = withSecrets(talk.goingOn(from.asked, from.answer, `Then ${++count}: ${both}.`));
  }
  return turns.length;
}

interface CallOptions {
  readonly trial: Trial;
  readonly masked: readonly string[];
  readonly stream: boolean;
}

async function call(talk: ConversationDialect, asked: JsonObject, { trial, masked, stream }: CallOptions) {
  const { stack, position, rerouteTo, isNamed, seed } = trial;
  const mask = masked.length === 0 ? [] : [`mask?words=${masked.join('.')}`];
  const reroute = rerouteTo === undefined ? [] : [`reroute?to=${rerouteTo}`];
  const pipeline = [...stack.slice(0, position), ...mask, ...reroute, ...stack.slice(position)];
  const { path, body } = talk.sent({ ...asked, stream });
  fake.requests.length = 0;
  const { status, text, json } = await requestJson(`${weir.url}${path}`, {
    headers: {
      'x-weir-pipeline': pipeline.length === 0 ? 'none' : pipeline.join(','),
      ...(isNamed && { 'x-weir-conversation': `talk-${seed}` }),
    },
    body,
  });
  for (const { bytes, url } of fake.requests)
    for (const secret of masked)
      assert.ok(!bytes.includes(secret), `${url} got ${secret} behind ${pipeline.join(',')}: ${bytes}`);
  return { status, text, answer: stream ? talk.told(framesIn(text)) : (objectOf(json) ?? {}) };
}

for (const talk of conversationDialects)
  test(`no secret of any turn reaches a provider, in conversations of ${talk.name} with any modules`, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(trials, async (trial) => {
        answered += await converse(talk, trial);
      }),
      { numRuns: runs },
    );
    assert.ok(answered > runs, `${answered} calls were answered`);
  });
