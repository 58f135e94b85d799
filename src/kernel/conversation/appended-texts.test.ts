import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../exchange.ts';
import type { ChatRequest, Message } from '../message.ts';
import { appendTexts } from './appended-texts.ts';

test('a text is appended in the same way, whether or not a cache marker has made the message a block', () => {
  const kit = { prefix: { isPreserved: () => true }, note: () => undefined } as never;
  const append = (content: Message['content']) => {
    const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content }] };
    // Only the request of an exchange is read here.
    const exchange = Object.assign(Object.create(Exchange.prototype), {
      with: (changes: object) => changes,
    });
    Object.defineProperty(exchange, 'request', { value: request });
    return appendTexts(exchange, [{ at: 0, decision: { text: 'More.' } }], kit).request.messages[0]?.content;
  };
  const marker = { cache_control: { type: 'ephemeral' } } as const;
  assert.equal(append('Hello'), 'Hello\n\nMore.');
  assert.deepEqual(append([{ type: 'text', text: 'Hello', ...marker }]), [
    { type: 'text', text: 'Hello\n\nMore.', ...marker },
  ]);
});
