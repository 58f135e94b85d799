import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Reply } from '../../../kernel/reply/reply.ts';
import type { Delta, ReplyEvent } from '../../../module-api.ts';
import { createRestorer } from './restorer.ts';
import type { KnownValue } from './vault.ts';

const known = (kind: string, placeholder: string, value: string): KnownValue => ({
  ...{ kind, placeholder, value, before: '', since: '' },
});
const values = [
  known('EMAIL', '<EMAIL_1>', 'bob@example.org'),
  known('EMAIL', '<EMAIL_12>', 'eve+x@example.org'),
  known('CREDIT_CARD', '<CREDIT_CARD_1>', '4111 1111 1111 1111'),
  known('PERSON', '<PERSON_1>', 'Anna "Ann" O\'Hara\n& Sons'),
  known('iso-9001', '<ISO_9001_1>', 'Q<7'),
];

async function restore(deltas: readonly Delta[], type: 'text' | 'tool_use' = 'text') {
  async function* events(): AsyncGenerator<ReplyEvent> {
    yield {
      type: 'message_start',
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
        ...{ stop_reason: null, stop_sequence: null },
      },
    };
    yield {
      type: 'content_block_start',
      index: 0,
      content_block: type === 'text' ? { type, text: '' } : { type, id: 't', name: 'x', input: {} },
    };
    for (const delta of deltas) yield { type: 'content_block_delta', index: 0, delta };
    yield { type: 'content_block_stop', index: 0 };
    yield { type: 'message_stop' };
  }
  const { content } = await Reply.stream(events())
    .map(createRestorer(values, { thoughts: false }))
    .answer();
  const [block] = content;
  if (block?.type === 'text') return block.text;
  return block?.type === 'tool_use' ? block.input : assert.fail();
}

const text = (...parts: readonly string[]) =>
  restore(parts.map((part) => ({ type: 'text_delta', text: part })));

describe('a restorer', () => {
  test('puts values back, however the model writes the placeholder', async () => {
    for (const [written, expected] of [
      ['Mail <EMAIL_1>, not <EMAIL_12>.', 'Mail bob@example.org, not eve+x@example.org.'],
      ['EMAIL_1', 'bob@example.org'],
      ['**EMAIL\\_1**', '**bob@example.org**'],
      ['<email-1> and <Email 1>', 'bob@example.org and bob@example.org'],
      ['[EMAIL_1](mailto:EMAIL_1)', '[bob@example.org](mailto:bob@example.org)'],
      [
        'https://x.example/?to=%3CEMAIL_12%3E&a=%3cemail_1%3e',
        'https://x.example/?to=eve%2Bx%40example.org&a=bob%40example.org',
      ],
      ['&lt;PERSON_1&gt;', 'Anna "Ann" O\'Hara\n&amp; Sons'],
      [
        '<CREDIT_CARD_1>, <credit card 1>, CREDIT_CARD_1',
        '4111 1111 1111 1111, 4111 1111 1111 1111, 4111 1111 1111 1111',
      ],
      ['<ISO_9001_1>', 'Q<7'],
    ] as const)
      assert.equal(await text(written), expected);
  });

  test('leaves what the model made up', async () => {
    for (const written of [
      '<EMAIL_2> EMAIL_123 email_1 MY_EMAIL_1 EMAIL_1_OLD person_1 PERSON1 </EMAIL_1> <PHONE_1> <EMAIL> EMAIL_ <EMAIL_1',
    ])
      assert.equal(await text(written), written.replace(/<EMAIL_1$/, '<bob@example.org'));
  });

  test('keeps tool input valid JSON, with any escapes', async () => {
    for (const json of ['{"to":"<PERSON_1>"}', '{"to":"\\u003cPERSON\\u005f1\\u003e"}', '{"to":"PERSON_1"}'])
      for (let cut = 0; cut <= json.length; cut++) {
        const parts = [json.slice(0, cut), json.slice(cut)];
        const input = await restore(
          parts.map((part) => ({ type: 'input_json_delta', partial_json: part })),
          'tool_use',
        );
        assert.deepEqual(input, { to: 'Anna "Ann" O\'Hara\n& Sons' });
      }
  });

  test('gives the same text for every split of the stream', async () => {
    const pieces = fc.constantFrom(
      ...[
        '<EMAIL_1>',
        'EMAIL_1',
        '2',
        '<',
        '>',
        '&lt;',
        'credit',
        '_',
        'CARD',
        ' 1',
        '%3C',
        '%3E',
        'ISO_9001_1',
        'word',
        '\\',
        '/',
        '😀',
      ],
    );
    const property = fc.asyncProperty(
      fc.array(pieces, { maxLength: 12 }),
      fc.array(fc.nat(40), { maxLength: 6 }),
      async (written, cuts) => {
        const whole = written.join('');
        const places = [...new Set(cuts.map((cut) => Math.min(cut, whole.length)))].toSorted(
          (one, other) => one - other,
        );
        const parts = [0, ...places].map((start, at) => whole.slice(start, places[at] ?? whole.length));
        assert.equal(await text(...parts), await text(whole));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('leaves signed thoughts as they are', () => {
    const delta = { type: 'thinking_delta', thinking: 'To <EMAIL_1>.' } as const;
    const thought = (thoughts: boolean) =>
      [createRestorer(values, { thoughts })({ type: 'content_block_delta', index: 0, delta })].flat();
    assert.deepEqual(thought(false), [{ type: 'content_block_delta', index: 0, delta }]);
    assert.match(JSON.stringify(thought(true)), /To bob@example\.org/);
  });

  test('holds nothing back but what may become a placeholder', () => {
    const rewrite = createRestorer(values, { thoughts: false });
    const sent = (part: string) =>
      [rewrite({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } })]
        .flat()
        .map((event) =>
          event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
        )
        .join('');
    assert.equal(sent('An ordinary sentence, with a < b'), 'An ordinary sentence, with a < b');
    assert.equal(sent(' and <EMA'), ' and ');
    assert.equal(sent('GINE> EM'), '<EMAGINE> ');
    assert.equal(sent('AIL_1'), '');
    assert.equal(sent('.'), 'bob@example.org.');
  });
});
