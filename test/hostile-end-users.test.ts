import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { eventually } from './support/eventually.ts';
import { formatAt, formats, type TestedFormat } from './support/formats.ts';
import { type HttpAnswer, requestJson } from './support/http-client.ts';

/*
 * One account with 40 end users, three of whom collude, and some strangers whom the application doesn't name. Everybody
 * has a word that nobody else says. The provider repeats all such words that it is shown, so that answers carry them on.
 */

const question = 'How are refunds paid at the garden shop?';
const words = /kanari[a-z]+/g;
const [named, hostile, strangers] = [40, 3, 6];

interface EndUser {
  readonly at: number;
  /** The fields of a request that name them; none for a stranger. */
  readonly fields: object;
  /** As the archive's `user` names them. */
  readonly id: string | undefined;
  readonly word: string;
  readonly format: TestedFormat;
  readonly isHostile: boolean;
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const uuid = (number: number) => `${hex(number, 8)}-1111-4222-8333-${hex(number, 12)}`;

/** Forms of ids, each of which many end users have, and of which some parts were once taken for a session's. */
const forms: readonly ((at: number) => string)[] = [
  (at) => `shop-session-${hex(at, 4)}`,
  (at) => `guest_session_${at}`,
  (at) => `acme:conversation:${at}`,
  (at) => `thread-${at}-user`,
  (at) => `session_${at}_user_guest`,
  (at) => JSON.stringify({ shop: 1, requester: `r${at}` }),
  (at) => JSON.stringify({ shop: 1, session_user: at }),
  (at) => JSON.stringify({ shop: 1, session: { user: at } }),
  (at) => JSON.stringify({ shop: 1, return_address: `street ${at}` }),
  (at) => `user_${hex(at, 64)}_account__session_${uuid(at)}`,
  (at) => JSON.stringify({ device_id: hex(at, 64), account_uuid: '', session_id: uuid(at) }),
  (at) => `user_${at}`,
];

function endUser(at: number): EndUser {
  const format = formats[at % 3] ?? formats[0];
  const isHostile = at < hostile;
  const letters = at.toString(26).replace(/\d/g, (digit) => String.fromCharCode(113 + Number(digit)));
  const word = isHostile ? 'kanarimallory' : `kanari${letters}z`;
  assert.ok(format);
  if (at >= named) return { at, fields: {}, id: undefined, word, format, isHostile };
  const id = forms[at % forms.length]?.(at) ?? '';
  const fields =
    format.name === 'Messages' || at % 4 === 1
      ? { metadata: { user_id: id } }
      : at % 4 === 2
        ? { safety_identifier: id }
        : { user: id };
  return { at, fields, id, word, format, isHostile };
}

const everybody = Array.from({ length: named + strangers }, (_, at) => endUser(at));

/** In an order that its seed gives. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** Repeats the words that it is shown. Looks for more of them where it has a tool for that. */
function repeating({ url, bytes }: SeenRequest) {
  const text = bytes.toString();
  const format = formatAt(url);
  const found = [...new Set(text.match(words))].sort().join(' ');
  if (format.name !== 'Messages' || !text.includes('"recall"') || text.includes('recall_1'))
    return { body: format.whole(`By card. ${found}`) };
  const use = { type: 'tool_use', id: 'recall_1', name: 'recall', input: { query: 'kanari harbour boats' } };
  return { body: { ...format.whole(''), content: [use], stop_reason: 'tool_use' } };
}

type ChatTurns = readonly { readonly role: string; readonly content: unknown }[];

async function start(t: { after(end: () => Promise<void>): void }) {
  const fake = await FakeUpstream.start(repeating);
  t.after(() => fake.close());
  const weir = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-tests',
    OPENAI_API_KEY: 'sk-tests',
    WEIR_EMBEDDINGS: 'off',
  });
  t.after(async () => {
    await weir.close();
  });

  /** A call of an end user, which must not show them, nor the provider in it, what others said. */
  async function call(
    user: EndUser,
    said: ChatTurns,
    {
      pipeline = 'patterns?holdout=0',
      conversation,
      tools = [],
    }: { pipeline?: string; conversation?: string; tools?: readonly object[] } = {},
  ) {
    const { format, fields, word } = user;
    const before = fake.requests.length;
    const turns = format.name === 'Responses' ? { input: said } : { messages: said, max_tokens: 100 };
    const answer = await requestJson(`${weir.url}${format.path}`, {
      headers: {
        'x-weir-pipeline': pipeline,
        ...(conversation !== undefined && { 'x-weir-conversation': conversation }),
      },
      body: { model: format.model, ...turns, ...fields, ...(tools.length > 0 && { tools }) },
    });
    assert.equal(answer.status, 200, answer.text);
    const prompts = fake.requests.slice(before).map(({ bytes }) => bytes.toString());
    for (const text of [...prompts, answer.text]) {
      const foreign = (text.match(words) ?? []).filter((one) => one !== word);
      assert.deepEqual(foreign, [], `end user ${user.at} (${JSON.stringify(fields)}) is shown others' words`);
    }
    return { answer, prompts };
  }

  const patterns = async () => {
    const { json } = await requestJson(`${weir.url}/v1/patterns?limit=200`);
    const rows = at(json, 'patterns');
    return Array.isArray(rows) ? rows : [];
  };
  const own = (url: string) => requestJson(`${weir.url}${url}`);
  return { url: weir.url, call, patterns, own };
}

const correction = ({ word }: EndUser) => `No, always tell customers to ask for ${word} at the counter.`;

for (const seed of [1, 2]) {
  test(`what end users say is in nobody else’s prompt and in no answer to others, in order ${seed}`, async (t) => {
    const { url, call, patterns } = await start(t);
    const tell = (conversation: string, note: string) =>
      requestJson(`${url}/v1/outcomes`, { body: { conversation, outcome: 'success', note } });

    const talks = everybody.flatMap((user) =>
      Array.from({ length: user.isHostile ? 4 : 2 }, (_, talk) => ({
        user,
        name: `chat-${user.at}-${talk}`,
      })),
    );
    for (const { user, name } of shuffled(talks, seed)) {
      const said = [
        { role: 'user', content: question },
        { role: 'assistant', content: 'In cash.' },
        { role: 'user', content: correction(user) },
      ];
      const isTold = user.isHostile || user.id === undefined;
      if (isTold) await call(user, said.slice(0, 1), { conversation: name });
      await call(user, said, { conversation: name });
      if (isTold)
        assert.equal((await tell(name, `Customers want to hear of ${user.word} all day.`)).status, 202);
    }
    const learnt = await eventually(async () => {
      const active = (await patterns()).filter(({ state }) => state === 'active');
      const texts = active.map(({ advice }) => String(advice));
      const hers = texts.filter((advice) => advice.includes('kanarimallory'));
      const isDone = everybody
        .slice(hostile, named)
        .every(({ word }) => texts.some((advice) => advice.includes(word)));
      // A correction and a note of each of the three.
      return isDone && hers.length === 2 * hostile ? active : undefined;
    });
    assert.ok(learnt.every(({ scope }) => /^user-/.test(String(scope))));

    const tools = [{ name: 'pay', input_schema: { type: 'object', properties: {} } }];
    for (const user of shuffled(everybody.slice(0, hostile), seed))
      for (const conversation of [1, 2, 3, 4].map((talk) => `win-${user.at}-${talk}`)) {
        const said = { role: 'user', content: question };
        await call(user, [said], { conversation });
        if (user.format.name === 'Messages')
          await call(
            user,
            [
              said,
              { role: 'assistant', content: [{ type: 'tool_use', id: 'pay_1', name: 'pay', input: {} }] },
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: 'pay_1', content: 'paid' }],
              },
            ],
            { conversation, tools },
          );
        await tell(conversation, '');
      }
    const mallorys = learnt.filter(({ advice }) => String(advice).includes('kanarimallory'));
    await eventually(async () => {
      const stories = await Promise.all(
        mallorys.map(({ id }) => requestJson(`${url}/v1/patterns/${String(id)}`)),
      );
      return stories.every(({ json }) => Object(at(json, 'won_in')).length >= 3) || undefined;
    });

    const pipeline = 'exact-cache,semantic-cache,patterns?holdout=0,ipc?holdout=0';
    for (const user of shuffled([...everybody, ...everybody], seed + 100)) {
      const { answer, prompts } = await call(user, [{ role: 'user', content: question }], {
        pipeline,
        conversation: 'support',
      });
      assert.equal(answer.headers.get('x-weir-cache'), prompts.length === 0 ? 'hit' : 'miss');
      assert.equal(answer.text.includes(user.word), user.id !== undefined, `${user.at} ${answer.text}`);
    }
  });
}

describe('the archive', () => {
  test('shows each end user what was left out of their own conversations alone', async (t) => {
    const { call, own } = await start(t);
    const talking = everybody.map((user) => ({ ...user, format: formats[0] ?? user.format }));
    const kept: { readonly user: EndUser; readonly ref: string }[] = [];
    for (const user of shuffled(talking, 7)) {
      const fields = user.id === undefined ? {} : { metadata: { user_id: user.id } };
      const said = Array.from({ length: 61 }, (_, turn) => ({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content: `Turn ${turn}: the harbour of town ${turn * 13} has ${turn * 7} boats, counted twice.${
          turn === 10 ? ` ${user.word} counted them.` : ''
        }`,
      }));
      const { prompts } = await call({ ...user, fields }, said, {
        pipeline: 'ipc?target=1000&keep_turns=2&holdout=0',
        conversation: user.id === undefined ? `guest-${user.at}` : 'support',
      });
      assert.ok(prompts.some((prompt) => prompt.includes('recall_1')));
      const ref = /the whole is kept as (\w+)/.exec(prompts[0] ?? '')?.[1];
      kept.push({ user, ref: ref ?? assert.fail(prompts[0]) });
    }
    assert.equal(new Set(kept.map(({ ref }) => ref)).size, kept.length);
    const read = (ref: string, { id = '' }: EndUser): Promise<HttpAnswer> =>
      own(`/v1/archive/${ref}?user=${encodeURIComponent(id)}`);
    for (const [index, { user, ref }] of kept.entries()) {
      if (user.id === undefined) continue;
      const mine = await eventually(async () => {
        const found = await read(ref, user);
        return found.status === 200 ? found : undefined;
      });
      assert.deepEqual([...new Set(mine.text.match(words))], [user.word]);
      const other = kept.slice(index + 1).find(({ user: { id } }) => id !== undefined);
      if (other !== undefined) assert.equal((await read(ref, other.user)).status, 404);
    }
  });
});
