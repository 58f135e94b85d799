import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LocalModels } from '../../embeddings/local-models.ts';
import { findModelFiles } from '../../embeddings/model-files.ts';
import { noEmbeddings } from '../../embeddings/no-embeddings.ts';
import { TextEmbeddings } from '../../embeddings/text-embeddings.ts';
import type { Answer, ChatRequest } from '../../kernel/message.ts';
import type { Embeddings } from '../../kernel/ports/embeddings.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { type RunOptions, runModule } from '../../testing/run-module.ts';
import { mcp } from '../mcp/mcp.ts';
import { complete, says, scriptedMcp, text, tool, call as toolCall } from '../mcp/testing.ts';
import { semanticCacheWith } from './semantic-cache.ts';

const models = new LocalModels({ findFiles: findModelFiles });
const embeddings = patient(new TextEmbeddings({ source: 'local', models }));
before(async () => {
  assert.equal((await embeddings.one('Ready?', { use: 'judging' })).why, undefined);
  assert.equal((await embeddings.sameAnswer([{ before: 'Ready?', now: 'Set?' }])).why, undefined);
});
after(() => models.close());

/** Waited for as long as it takes: a busy machine is late for what a call may wait. */
function patient(real: Embeddings): Embeddings {
  const deadlineMs = 60_000;
  return {
    state: () => real.state(),
    one: (text, asking) => real.one(text, { ...asking, deadlineMs }),
    many: (texts, asking) => real.many(texts, { ...asking, deadlineMs }),
    sameAnswer: (pairs, asking) => real.sameAnswer(pairs, { ...asking, deadlineMs }),
  };
}

/** Never a shadow call, unless its share is one. */
const cache = semanticCacheWith(() => 0.999);

function asks(text: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: text }], ...more };
}

function answering(text: string, more: Partial<Answer> = {}): RunOptions {
  const answer: Answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'demo-1',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
    ...more,
  };
  return { upstream: async () => Reply.of(answer) };
}

const question = 'How do I reset my password?';
const reworded = 'how can i reset my password';

test('a prompt in other words is answered from memory, and the trace says from where', async () => {
  const run = runModule(cache, answering('Click on "forgot".'), { embeddings });
  const first = await run(asks(question));
  assert.deepEqual([first.sent.length, first.step?.attributes], [1, { miss: true }]);
  const second = await run(asks(reworded));
  assert.deepEqual(second.sent, []);
  assert.deepEqual(second.answer, first.answer);
  const { hit, p, saved, from } = second.step?.attributes ?? {};
  assert.deepEqual([hit, saved, from], [true, '0', 'req_test']);
  assert.ok(Number(p) > 0.9 && Number(p) <= 1, String(p));
  const same = await run(asks(question));
  assert.deepEqual([same.sent.length, same.step?.attributes.p], [0, '1']);
});

test('a prompt that is nearly the same, and asks for something else, is not', async () => {
  const run = runModule(cache, {}, { embeddings });
  await run(asks('Convert 10 km to miles'));
  for (const text of ['Convert 10 miles to km', 'Convert 12 km to miles', 'Convert 10 km to feet'])
    assert.equal((await run(asks(text))).sent.length, 1, text);
});

/** Prompts on one subject, each of which asks for something else. */
const refunds = [
  'Can I get a refund in cash?',
  'Can I cancel my refund?',
  'Who approves my refund?',
  'Why was my refund refused?',
  'Is there a fee for a refund?',
  'Where can I see my refunds?',
  'How long does a refund take?',
];

test('among many prompts on its subject, one in other words needs more than alone', async () => {
  const run = runModule(cache, {}, { embeddings });
  const faster = 'Can I get my refund faster?';
  await run(asks(faster), { account: 'quiet' });
  for (const text of [faster, ...refunds]) assert.equal((await run(asks(text))).sent.length, 1, text);
  const other = asks('Is there a way to speed up my refund?');
  assert.equal((await run(other, { account: 'quiet' })).sent.length, 0);
  assert.equal((await run(other)).sent.length, 1);
  assert.equal((await run(asks('can I get my refund faster, please'))).sent.length, 0);
});

const others: Readonly<Record<string, ChatRequest>> = {
  'another system prompt': asks(reworded, { system: 'Be brief.' }),
  'other tools': asks(reworded, { tools: [{ name: 'reset', input_schema: { type: 'object' } }] }),
  'another model': asks(reworded, { model: 'demo-2' }),
  'another limit of output': asks(reworded, { max_tokens: 200 }),
  'another temperature': asks(reworded, { temperature: 0.1 }),
  'earlier turns': asks(reworded, {
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: reworded },
    ],
  }),
  'a picture beside it': asks(reworded, {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'text', text: reworded },
        ],
      },
    ],
  }),
  'the result of a tool before it': asks(reworded, {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'done' },
          { type: 'text', text: reworded },
        ],
      },
    ],
  }),
  'another end user': asks(reworded, { metadata: { user_id: 'somebody else' } }),
};

test('only the newest words may differ', async () => {
  const run = runModule(cache, {}, { embeddings });
  await run(asks(question));
  for (const [what, request] of Object.entries(others))
    assert.equal((await run(request)).sent.length, 1, what);
  assert.equal((await run(asks(reworded, { stream: true }))).sent.length, 0);
});

test('accounts and credentials never see each other’s answers, and people of one account only where it says so', async () => {
  const run = runModule(cache, {}, { embeddings });
  const of = (user_id: string) => asks(reworded, { metadata: { user_id } });
  await run({ ...of('anna'), messages: asks(question).messages }, { account: 'a', credential: 'one' });
  assert.equal((await run(of('anna'), { account: 'b', credential: 'one' })).sent.length, 1);
  assert.equal((await run(of('anna'), { account: 'a', credential: 'two' })).sent.length, 1);
  assert.equal((await run(of('tom'), { account: 'a', credential: 'one' })).sent.length, 1);
  assert.equal((await run(of('anna'), { account: 'a', credential: 'one' })).sent.length, 0);
  const wide = { account: 'c', options: 'scope=account' };
  await run({ ...of('anna'), messages: asks(question).messages }, wide);
  assert.equal((await run(of('tom'), wide)).sent.length, 0);
});

test('an answer in one format is for clients of the others', async () => {
  const run = runModule(cache, answering('Click on "forgot".'), { embeddings });
  await run(asks(question), { wire: 'openai-chat' });
  for (const wire of ['anthropic-messages', 'openai-chat', 'openai-responses'])
    for (const text of [question, reworded]) {
      const { sent, answer } = await run(asks(text), { wire });
      assert.equal(sent.length, 0, `${wire}: ${text}`);
      assert.deepEqual(answer?.content, [{ type: 'text', text: 'Click on "forgot".' }]);
    }
});

test('what asks for something current goes to the provider unless the option says otherwise', async () => {
  const run = runModule(cache, {}, { embeddings });
  await run(asks('Who is the current champion of chess?'));
  const again = await run(asks('Who is the current chess champion?'));
  assert.deepEqual(again.step?.attributes, { miss: true, skipped: 'current' });
  const options = 'current=allow';
  await run(asks('Who is the current champion of chess?'), { account: 'a', options });
  assert.equal(
    (await run(asks('who is the current champion of chess'), { account: 'a', options })).sent.length,
    0,
  );
});

test('without vectors the call goes on as if the module were not there, and equal prompts are still answered', async () => {
  const run = runModule(cache, {}, { embeddings: noEmbeddings('missing') });
  const first = await run(asks(question));
  assert.deepEqual([first.sent.length, first.step?.attributes], [1, { miss: true, aside: 'missing' }]);
  assert.equal((await run(asks(reworded))).sent.length, 1);
  assert.equal((await run(asks(question))).sent.length, 0);
});

test('answers that were cut off are not kept, and who wants no cache gets none', async () => {
  const run = runModule(cache, answering('Click', { stop_reason: 'max_tokens' }), { embeddings });
  await run(asks(question));
  assert.equal((await run(asks(question))).sent.length, 1);
  const headers = ['cache-control', 'no-store'];
  const whole = answering('Click on "forgot".');
  const refusing = await run(asks(question), { ...whole, headers });
  assert.deepEqual(refusing.step?.attributes, { bypass: true, aside: 'cache-control' });
  const bypassed = await run(asks(question), whole);
  assert.equal(bypassed.sent.length, 1);
  assert.equal((await run(asks(reworded), { headers })).sent.length, 1);
  assert.equal((await run(asks(reworded))).sent.length, 0);
});

test('a turn of tool results is left alone, since it asks nothing in words', async () => {
  const run = runModule(cache, answering('Done.'), { embeddings });
  const turn = asks('', {
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look_up', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'found' }] },
    ],
  });
  for (const { sent, step } of [await run(turn), await run(turn)])
    assert.deepEqual([sent.length, step?.attributes], [1, { bypass: true, aside: 'tool-result' }]);
});

test('a shadow call that agrees leaves the entry as it is, one that disagrees closes it at once', async () => {
  const run = runModule(cache, answering('It takes 3 days.'), { embeddings });
  const shadow = { options: 'shadow=1' };
  await run(asks('How long does a transfer take?'));
  const text = 'how long does the transfer take';
  const agreeing = await run(asks(text), { ...shadow, ...answering('About 3 days, in most cases.') });
  assert.deepEqual([agreeing.sent.length, agreeing.step?.attributes], [1, { miss: true, shadow: true }]);
  const other = 'How long does the transfer take, please?';
  assert.equal((await run(asks(other))).sent.length, 0);

  await run(asks('Is it safe to eat raw eggs?'), answering('Yes, if they are fresh.'));
  const reworded = 'is it safe to eat the raw eggs';
  await run(asks(reworded), { ...shadow, ...answering('No, it is not.') });
  const stale = [{ type: 'text', text: 'Yes, if they are fresh.' }];
  const next = await run(asks('Is it safe to eat raw eggs, please?'), answering('Maybe.'));
  // It is gone from what is searched in, so that the newer answer is the nearest.
  assert.deepEqual(next.answer?.content, [{ type: 'text', text: 'No, it is not.' }]);
  assert.deepEqual((await run(asks('Is it safe to eat raw eggs?'))).answer?.content, stale);
});

test('an answer that a tool of a server was called for is not remembered', async () => {
  const servers = { s: [tool('read')] };
  const { calls, mcp: found } = scriptedMcp({ servers, answer: () => complete('of this person') });
  const run = runModule(
    cache,
    { pipeline: 'semantic-cache,mcp' },
    { embeddings, otherModules: [mcp()], mcp: found },
  );
  const reading = () => says([toolCall('c1', 's__read')], [text('It is yours.')]);
  await run(asks(question), { upstream: reading() });
  const { sent } = await run(asks(reworded), { upstream: reading() });
  assert.deepEqual([sent.length, calls.length], [2, 2]);
  await run(asks('Where is the weir of the river?'), { upstream: says([text('Upstream.')]) });
  const again = await run(asks('where is the weir of the river'), { upstream: says() });
  assert.deepEqual(again.answer?.content, [text('Upstream.')]);
});
