import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someCall, someRequestId } from '../../../test/conformance/database/samples.ts';
import type { LoggedCall, LoggedTurn } from '../../kernel/ports/request-log.ts';
import type { ModelPricing } from '../../kernel/rate-card.ts';
import { type ConversationTurn, ConversationTurns } from './conversation-turns.ts';

const pricing: ModelPricing = {
  card: {
    ...{ input: 3e6, output: 15e6, cacheRead: 0.3e6, cacheWrite: 3.75e6, cacheWriteHour: 6e6 },
    ...{ audioInput: 1, audioOutput: 1, webSearch: 1, previewSearch: 1, fileSearch: 1, request: 0 },
    factors: {},
  },
  estimated: false,
  cacheSeconds: 300,
};
const second = 1000;
const minute = 60 * second;

type Turn = readonly [atMs: number, read: number, written: number, over?: Partial<LoggedCall>];

const prompt = (over: Partial<LoggedTurn> = {}): LoggedTurn => ({
  ...{ tools: 't', system: 's', called: {} },
  ...over,
});

/** Calls of one session that read and write so many tokens of a cache. */
function turnsOf(...turns: readonly Turn[]): readonly ConversationTurn[] {
  const conversationTurns = new ConversationTurns((provider) =>
    provider === 'nobody' ? undefined : pricing,
  );
  return turns.map(([atMs, read, written, over]) =>
    conversationTurns.add(
      someCall({
        id: someRequestId(1_763_000_000_000 + atMs),
        ...{ conversation: 'session', turn: prompt(), stopReason: 'end_turn' },
        ...{ inputTokens: 10, cacheReadTokens: read, cacheWriteTokens: written },
        ...over,
      }),
    ),
  );
}

const lastBreakOf = (...turns: readonly Turn[]) => turnsOf(...turns).at(-1)?.cacheBreak;
const reasonOf = (...turns: readonly Turn[]) => lastBreakOf(...turns)?.reason;

test('a call that reads what the last one left is no break, nor is a little less', () => {
  assert.equal(lastBreakOf([0, 0, 9000]), undefined);
  assert.equal(lastBreakOf([0, 0, 9000], [second, 9000, 500]), undefined);
  assert.equal(lastBreakOf([0, 0, 20_000], [second, 18_100, 3000]), undefined);
  assert.equal(lastBreakOf([0, 900, 0], [second, 0, 0, { inputTokens: 2000 }]), undefined);
});

test('a break has its reason, what was lost and what that costs', () => {
  const first: Turn = [0, 0, 9000];
  const lost: Turn = [second, 0, 9500];
  const because = (over: Partial<LoggedCall>): Turn => [second, 0, 9500, over];
  assert.deepEqual(lastBreakOf(first, lost), {
    reason: 'unknown',
    lostTokens: 9000,
    costNanoUsd: 31_050_000,
  });
  assert.equal(lastBreakOf(first, because({ turn: prompt({ hour: true }) }))?.costNanoUsd, 51_300_000);
  assert.equal(lastBreakOf([0, 9000, 0], [second, 0, 0, { inputTokens: 9500 }])?.costNanoUsd, 24_300_000);
  assert.equal(
    lastBreakOf([0, 0, 9000, { provider: 'nobody' }], because({ provider: 'nobody' }))?.costNanoUsd,
    null,
  );
  assert.equal(reasonOf(first, because({ modelUsed: 'other' })), 'model');
  assert.equal(reasonOf(first, because({ turn: prompt({ tools: 'u' }) })), 'tools');
  assert.equal(reasonOf(first, because({ turn: prompt({ system: 'r' }) })), 'instructions');
  assert.equal(reasonOf(first, [6 * minute, 0, 9500]), 'expired');
  assert.equal(reasonOf([0, 0, 9000, { turn: prompt({ hour: true }) }], [6 * minute, 0, 9500]), 'unknown');
  assert.equal(reasonOf([0, 0, 90_000], [second, 0, 20_000]), 'history');
  assert.equal(reasonOf([0, 0, 90_000, { agent: 'compaction' }], [second, 0, 20_000]), 'compacted');
  assert.equal(reasonOf(first, because({ turn: prompt({ breakReason: 'edited' }) })), 'history');
  const step = { module: 'ipc', effect: 'changed-request', ms: 1, facts: { step: 'pays' } } as const;
  assert.equal(reasonOf(first, because({ steps: [step] })), 'module');
  const refused = { ...step, facts: { step: 'no-pays' } } as const;
  assert.equal(reasonOf(first, because({ steps: [refused] })), 'unknown');
});

test('only what the request still has can be lost', () => {
  assert.equal(lastBreakOf([0, 0, 90_000], [second, 9000, 2000])?.lostTokens, 2010);
  assert.equal(lastBreakOf([0, 0, 90_000], [second, 10_000, 500]), undefined);
});

test('other prompts of a session, failed calls and cached answers come between without a break', () => {
  const title = { turn: prompt({ tools: '', system: 'title' }) };
  const subagent = { conversation: 'session:a', agent: 'subagent' };
  const failed = { status: 529, inputTokens: null };
  const hit = { module: 'exact-cache', effect: 'answered', ms: 1, facts: {} } as const;
  const turns = turnsOf(
    [0, 0, 9000],
    [1, 0, 0, title],
    [2, 0, 4000, subagent],
    [3, 0, 0, failed],
    [4, 0, 0, { steps: [hit] }],
    [5, 9000, 100],
    [6, 0, 4000, subagent],
  );
  assert.deepEqual(
    turns.map(({ cacheBreak }) => cacheBreak?.lostTokens),
    [undefined, undefined, undefined, undefined, undefined, undefined, 4000],
  );
});

test('a history that is much shorter than before was compacted or taken back', () => {
  const turns = turnsOf([0, 0, 9000], [1, 0, 8000], [2, 0, 5000], [3, 0, 5100]);
  assert.deepEqual(
    turns.map(({ shortenedFrom }) => shortenedFrom),
    [undefined, undefined, 8010, undefined],
  );
});

test('a call brings a prompt, or the results of the tools that the last answer called', () => {
  const turns = turnsOf(
    [0, 0, 9000, { stopReason: 'tool_use' }],
    [1, 9000, 1, { status: 500, inputTokens: null, stopReason: null }],
    [2, 9000, 1, { stopReason: 'end_turn' }],
    [3, 9000, 1, { stopReason: null }],
    [4, 9000, 1, { agent: 'compaction' }],
    [5, 9000, 1],
  );
  assert.deepEqual(
    turns.map(({ cause, isCompaction }) => [cause, isCompaction]),
    [
      ['prompt', false],
      ['tool-results', false],
      ['tool-results', false],
      ['prompt', false],
      [null, true],
      [null, false],
    ],
  );
});
