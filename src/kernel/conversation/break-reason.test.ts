import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { runModule } from '../../testing/run-module.ts';
import type { ChatRequest, Message } from '../message.ts';
import type { Module } from '../module.ts';

const base = {
  api: 1,
  summary: 'For tests.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
  options: z.strictObject({}),
} as const;

/** Notes the reason of a break. */
const noting: Module = {
  ...base,
  name: 'noting',
  touches: ['redaction', 'history'],
  handle(exchange, next, kit) {
    const { isBreak, breakReason } = kit.prefix;
    assert.equal(isBreak, breakReason !== undefined);
    kit.note({ reason: breakReason ?? 'none' });
    return next(exchange);
  },
};

const rerouting: Module = {
  ...base,
  name: 'rerouting',
  touches: ['target'],
  handle: (exchange, next) =>
    next(exchange.with({ target: { provider: exchange.target.provider, model: 'other' } })),
};

/** An edit that is made in mid-conversation. */
const editing: Module = {
  ...base,
  name: 'editing',
  touches: ['redaction'],
  handle: (exchange, next) => next(exchange.with({ request: { ...exchange.request, system: 'Be brief.' } })),
};

const turns: readonly Message[] = ['one', '1', 'two', '2', 'three', '3', 'four'].map((content, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content,
}));
const asked = (messages: readonly Message[], over: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  max_tokens: 9,
  messages,
  ...over,
});
const named = { headers: ['x-weir-conversation', 'talk'] };
const later = turns.slice(0, 7);

/** The reason of the last of several calls. */
async function reasonOf(calls: readonly (readonly [ChatRequest, object?])[], pauseMs = 0): Promise<unknown> {
  const clock = { ms: 0, now: () => clock.ms };
  const run = runModule(noting, named, { clock, otherModules: [rerouting, editing] });
  let reason: unknown;
  for (const [request, options] of calls) {
    reason = (await run(request, options)).steps.at(-1)?.attributes.reason;
    clock.ms += pauseMs;
  }
  return reason;
}

const before = [asked(turns.slice(0, 3))] as const;
const hour = 3_600_000;

test('a break has a reason, and where there is none it has not', async () => {
  assert.equal(await reasonOf([before]), 'first');
  assert.equal(await reasonOf([before, [asked(turns.slice(0, 5))]]), 'none');
  assert.equal(await reasonOf([before, [asked(turns.slice(0, 5))]], hour), 'expired');
  assert.equal(await reasonOf([before, [asked(turns.slice(0, 5), { model: 'n' })]]), 'model');
  const tools = [{ name: 'open' }];
  assert.equal(await reasonOf([before, [asked(turns.slice(0, 5), { tools })]]), 'tools');
  assert.equal(await reasonOf([before, [asked(turns.slice(0, 5), { system: 'Be kind.' })]]), 'tools');
});

test('a client that replaces its history has compacted or edited it', async () => {
  const summary: Message = { role: 'user', content: 'A summary of what was said.' };
  assert.equal(await reasonOf([[asked(later)], [asked([summary])]]), 'compacted');
  assert.equal(await reasonOf([[asked(later)], [asked([summary])]], hour), 'compacted');
  const other = later.map((message) => ({ ...message, content: `${message.content}!` }));
  assert.equal(await reasonOf([[asked(later)], [asked([...other, ...turns.slice(0, 1)])]]), 'edited');
});

test('a client that takes a turn back goes on from the one before', async () => {
  const calls = [3, 5, 3].map((count) => [asked(turns.slice(0, count))] as const);
  assert.equal(await reasonOf(calls), 'none');
  assert.equal(await reasonOf(calls, hour), 'expired');
});

test('another model and an edit of an outer module are reasons, too', async () => {
  const next = asked(turns.slice(0, 5));
  assert.equal(await reasonOf([before, [next, { pipeline: 'rerouting,noting' }]]), 'model');
  const edits = { pipeline: 'editing,noting' };
  assert.equal(
    await reasonOf([
      [asked(turns.slice(0, 3)), edits],
      [next, { pipeline: 'noting' }],
    ]),
    'edited',
  );
  assert.equal(await reasonOf([[asked(turns.slice(0, 3))], [next, edits]]), 'edited');
});

test('a module that edits no conversation sees a first call', async () => {
  const { steps } = await runModule({ ...noting, touches: ['reply'] }, named)(asked(turns.slice(0, 3)));
  assert.equal(steps[0]?.attributes.reason, 'first');
});
