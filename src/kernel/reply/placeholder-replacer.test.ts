import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Block, Delta, ReplyEvent } from '../message.ts';
import { createPlaceholderReplacer } from './placeholder-replacer.ts';
import { Reply } from './reply.ts';

const values = new Map([
  ['<EMAIL_1>', 'bob@example.org'],
  ['<EMAIL_10>', 'a "quoted"\nvalue \\ 😀'],
  ['«Ä»', ''],
]);

function restore(text: string): string {
  let restored = text;
  for (const [placeholder, value] of values) restored = restored.replaceAll(placeholder, () => value);
  return restored;
}

async function replaced(block: Block, deltas: readonly Delta[]): Promise<readonly Block[]> {
  async function* events(): AsyncGenerator<ReplyEvent> {
    yield {
      type: 'message_start',
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
        ...{ stop_reason: null, stop_sequence: null },
      },
    };
    yield { type: 'content_block_start', index: 0, content_block: block };
    for (const delta of deltas) yield { type: 'content_block_delta', index: 0, delta };
    yield { type: 'content_block_stop', index: 0 };
    yield { type: 'message_stop' };
  }
  return (await Reply.stream(events()).map(createPlaceholderReplacer(values)).answer()).content;
}

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      '<EMAIL_1>',
      '<EMAIL_10>',
      '«Ä»',
      '<EMA',
      'IL_1',
      '<',
      '0>',
      ' ',
      '"',
      '\\',
      '\n',
      '😀',
      'é',
    ),
    fc.string(),
  ),
  { maxLength: 20 },
);

/** The ways in which a JSON writer may escape a text. */
const escapes: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('>', '\\u003E'),
  (text) => JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${hex(char)}`),
];
const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(4, '0');

function cut(text: string, at: readonly number[]): readonly string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((one, other) => one - other);
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end));
}

describe('placeholders', () => {
  test('become their values wherever a text is cut', () =>
    fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const content = await replaced(
          { type: 'text', text: '' },
          parts.map((text) => ({ type: 'text_delta', text })),
        );
        assert.deepEqual(content, [{ type: 'text', text: restore(parts.join('')) }]);
      }),
      { numRuns: 300 },
    ));

  test('become their values in tool arguments, however these are escaped and cut', () =>
    fc.assert(
      fc.asyncProperty(
        pieces,
        fc.constantFrom(...escapes),
        fc.array(fc.nat(), { maxLength: 20 }),
        async (parts, write, at) => {
          const text = parts.join('').toWellFormed();
          const json = `{"to": [${write(text)}], "n": 12}`;
          const content = await replaced(
            { type: 'tool_use', id: 't', name: 'mail', input: {} },
            cut(json, at).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
          );
          assert.deepEqual(content, [
            { type: 'tool_use', id: 't', name: 'mail', input: { to: [restore(text)], n: 12 } },
          ]);
        },
      ),
      { numRuns: 500 },
    ));

  test('are the only thing that is held back', () => {
    const rewrite = createPlaceholderReplacer(values);
    const sent = (text: string) =>
      [rewrite({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })]
        .flat()
        .map((event) => (event.type === 'content_block_delta' ? event.delta : undefined));
    assert.deepEqual(sent('Write to '), [{ type: 'text_delta', text: 'Write to ' }]);
    assert.deepEqual(sent('a <EM'), [{ type: 'text_delta', text: 'a ' }]);
    assert.deepEqual(sent('AIL_1'), []);
    assert.deepEqual(sent('>, or'), [{ type: 'text_delta', text: 'bob@example.org, or' }]);
    assert.deepEqual(sent(' <EM'), [{ type: 'text_delta', text: ' ' }]);
    assert.deepEqual(sent('ACS>'), [{ type: 'text_delta', text: '<EMACS>' }]);
  });

  test('become their values in citations and whole content, and stay in thoughts', async () => {
    const cited = await replaced({ type: 'text', text: 'See' }, [
      { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'From <EMAIL_1>' } },
    ]);
    assert.match(JSON.stringify(cited), /From bob@example.org/);
    const used = await replaced({ type: 'tool_use', id: 't', name: 'mail', input: { to: '<EMAIL_1>' } }, []);
    assert.deepEqual(used, [{ type: 'tool_use', id: 't', name: 'mail', input: { to: 'bob@example.org' } }]);
    const thought = await replaced({ type: 'thinking', thinking: '' }, [
      { type: 'thinking_delta', thinking: 'Is <EMAIL_1> right?' },
      { type: 'signature_delta', signature: 'sig' },
    ]);
    assert.deepEqual(thought, [{ type: 'thinking', thinking: 'Is <EMAIL_1> right?', signature: 'sig' }]);
  });
});
