import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Ability, unknownAbilities } from '../../kernel/abilities.ts';
import {
  type ConversationRoute,
  conversationRouteAfter,
  decide,
  type RouteCandidate,
  type RouteHealth,
  type RouteInput,
} from './decide.ts';
import { limits } from './limits.ts';

const healthy: RouteHealth = {
  breaker: 'closed',
  attempts: 0,
  errorRate: 0,
  isRejected: false,
  restsUntilMs: undefined,
  admittedShare: 1,
  firstContentMs: undefined,
  contentAgeMs: undefined,
};

function candidate(name: string, more: Partial<RouteCandidate> = {}): RouteCandidate {
  const cost = more.cost ?? 100;
  return {
    ...{ provider: name.split('/')[0] ?? '', region: undefined, abilitySource: undefined },
    ...{ name, weight: 1, isRequested: false, abilities: unknownAbilities },
    ...{ isAllowed: true, hasCredential: true },
    ...{ contextTokens: undefined, outputTokensMax: undefined, inputTokens: 10, isWarm: false },
    ...{ cost, stayingCost: cost, coldCost: cost, health: healthy },
    ...more,
  };
}

function inputOf(candidates: readonly RouteCandidate[], more: Partial<RouteInput> = {}): RouteInput {
  return {
    ...{
      candidates,
      needs: new Set<Ability>(),
      outputTokens: undefined,
      strategy: 'cheapest',
      isSticky: true,
    },
    ...{ maxNanoUsd: undefined, conversation: undefined, fastest: undefined },
    ...{ providers: undefined, regions: undefined },
    ...{ callSeed: 0.5, conversationSeeds: [] },
    ...more,
  };
}

const firstOf = (input: RouteInput) => decide(input).choices[0]?.candidate.name;

const healths = fc.record({
  attempts: fc.nat(200),
  errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
  admittedShare: fc.double({ min: 0.1, max: 1, noNaN: true }),
  restsUntilMs: fc.option(fc.nat(), { nil: undefined }),
});
const candidateLists = fc
  .array(
    fc.record({
      cost: fc.option(fc.nat(1000), { nil: undefined }),
      hasCredential: fc.boolean(),
      tools: fc.constantFrom(true, false, 'unknown' as const),
      health: healths,
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((all) =>
    all.map(({ cost, tools, health, hasCredential }, at) => ({
      ...candidate(`p/${at}`, { hasCredential, abilities: { ...unknownAbilities, tools } }),
      ...{ cost, stayingCost: cost, coldCost: cost, health: { ...healthy, ...health } },
    })),
  );

describe('a decision', () => {
  test('is never dearer than another candidate that satisfies, and the same for the same input', () => {
    fc.assert(
      fc.property(candidateLists, fc.double({ min: 0, max: 0.99, noNaN: true }), (candidates, callSeed) => {
        const input = inputOf(candidates, { needs: new Set<Ability>(['tools']), callSeed });
        const { choices, excluded } = decide(input);
        assert.deepEqual(decide(input), { choices, excluded });
        assert.equal(choices.length + excluded.length, candidates.length);
        const isSound = ({ health }: RouteCandidate) =>
          callSeed < health.admittedShare &&
          !(
            health.errorRate >= limits.degradedShare &&
            health.attempts * health.errorRate >= limits.degradedFailures
          );
        const [first] = choices;
        for (const { candidate: other } of choices) {
          assert.ok(
            other.hasCredential && other.abilities.tools === true && other.health.restsUntilMs === undefined,
          );
          if (first !== undefined && isSound(other))
            assert.ok(
              isSound(first.candidate) && (first.candidate.cost ?? Infinity) <= (other.cost ?? Infinity),
            );
        }
        for (const { reason } of excluded) assert.notEqual(reason, '');
      }),
    );
  });

  test('leaves out what is known to be impossible, and what is unknown unless the client asked for it', () => {
    const needs = new Set<Ability>(['images']);
    const able = { ...unknownAbilities, images: true };
    const unable = { ...unknownAbilities, images: false };
    const list = [
      candidate('a/unknown'),
      candidate('b/unable', { abilities: unable, isRequested: true }),
      candidate('c/requested', { isRequested: true }),
      candidate('d/able', { abilities: able, cost: 200 }),
    ];
    const { choices, excluded } = decide(inputOf(list, { needs }));
    assert.deepEqual(
      choices.map((one) => one.candidate.name),
      ['c/requested', 'd/able'],
    );
    assert.deepEqual(
      excluded.map(({ reason }) => reason),
      ['images: unknown', 'no images'],
    );
  });

  test('needs a window for input and output, and an output limit', () => {
    const small = candidate('a/small', { contextTokens: 100, inputTokens: 60 });
    const brief = candidate('b/brief', { outputTokensMax: 40 });
    const { excluded } = decide(inputOf([small, brief], { outputTokens: 50 }));
    assert.deepEqual(
      excluded.map(({ reason }) => reason),
      ['110 tokens, context window 100', '50 output tokens requested, 40 possible'],
    );
  });

  test('gives each conversation a target of its own by weight', () => {
    const list = [candidate('a/one', { weight: 3 }), candidate('b/two', { weight: 1 })];
    let first = 0;
    const calls = 4000;
    for (let at = 0; at < calls; at++) {
      const conversationSeeds = [Math.random(), Math.random()];
      if (firstOf(inputOf(list, { strategy: 'weighted', conversationSeeds })) === 'a/one') first++;
    }
    assert.ok(Math.abs(first / calls - 0.75) < 0.04, String(first / calls));
  });

  test('prefers the fastest, keeps it in spite of small differences, and explores those without recent times', () => {
    const at = (firstContentMs: number, contentAgeMs = 100) => ({
      health: { ...healthy, firstContentMs, contentAgeMs },
    });
    const list = [candidate('a/a', at(500)), candidate('b/b', at(450))];
    const fastest = { strategy: 'fastest' } as const;
    assert.equal(firstOf(inputOf(list, fastest)), 'b/b');
    assert.equal(firstOf(inputOf(list, { ...fastest, fastest: 'a/a' })), 'a/a');
    assert.equal(
      firstOf(inputOf([candidate('a/a', at(600)), list[1] ?? candidate('')], { ...fastest, fastest: 'a/a' })),
      'b/b',
    );
    const stale = [candidate('a/a', at(100)), candidate('b/b', at(900, 60_000))];
    let explored = 0;
    for (let call = 0; call < 10_000; call++)
      if (firstOf(inputOf(stale, { ...fastest, callSeed: call / 10_000 })) === 'b/b') explored++;
    assert.ok(explored > 100 && explored < 600, String(explored));
  });
});

/** The prices of a target, per token. */
interface Prices {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
}

interface Turn {
  readonly input: number;
  readonly output: number;
}

const priceLists = fc.array(
  fc.record({
    input: fc.integer({ min: 10, max: 100 }),
    read: fc.integer({ min: 1, max: 9 }),
    write: fc.integer({ min: 100, max: 130 }),
    output: fc.constant(0),
  }),
  { minLength: 2, maxLength: 4 },
);

/** What a conversation costs, wherever each of its calls goes. */
function runConversation(prices: readonly Prices[], turns: readonly Turn[], isSticky: boolean) {
  const alone = prices.map(() => 0);
  let total = 0;
  let sent = 0;
  let largestWrite = 0;
  /** The largest difference between two targets in one turn. */
  let largestStep = 0;
  let moves = 0;
  let conversation: ConversationRoute | undefined;
  for (const { input, output } of turns) {
    const tokens = sent + input;
    const costAt = ({ read, write, output: price }: Prices, warm: number) =>
      warm * read + (tokens - warm) * write + output * price;
    const candidates = prices.map((one, at) => {
      const isWarm = conversation?.target === `p/${at}` && sent > 0;
      return candidate(`p/${at}`, {
        isWarm,
        cost: costAt(one, isWarm ? sent : 0),
        stayingCost: costAt(one, sent),
        coldCost: costAt(one, 0),
      });
    });
    const routeInput = inputOf(candidates, { conversation, isSticky });
    const decision = decide(routeInput);
    const chosen = decision.choices[0]?.candidate;
    assert.ok(chosen);
    total += chosen.cost ?? 0;
    if (conversation !== undefined && conversation.target !== chosen.name) moves++;
    for (const [at, one] of prices.entries()) {
      alone[at] = (alone[at] ?? 0) + costAt(one, sent);
      largestWrite = Math.max(largestWrite, costAt(one, 0) - costAt(one, sent));
    }
    const staying = prices.map((one) => costAt(one, sent));
    largestStep = Math.max(largestStep, Math.max(...staying) - Math.min(...staying));
    conversation = conversationRouteAfter(routeInput, decision, chosen.name);
    sent = tokens + output;
  }
  return { total, best: Math.min(...alone), largestWrite, largestStep, moves };
}

test('a conversation that never moves is at its best target, and each move costs about one cache write', () => {
  const turns = fc.array(fc.record({ input: fc.integer({ min: 1, max: 500 }), output: fc.constant(0) }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(priceLists, turns, (prices, all) => {
      const { total, best, largestWrite, largestStep, moves } = runConversation(prices, all, true);
      const moved = moves === 0 ? 0 : (moves + 1) * largestWrite + largestStep;
      assert.ok(total <= best + moved, `${total} > ${best} + ${moved} after ${moves} moves`);
    }),
    { numRuns: 2000 },
  );
});

test('a conversation moves at once if even this call is cheaper elsewhere, and not for a small saving', () => {
  const own = candidate('a/own', { isWarm: true, cost: 100, stayingCost: 100, coldCost: 900 });
  const conversation = { target: 'a/own', excess: { 'b/b': -500 }, hasMoved: false };
  const cheaper = candidate('b/b', { cost: 90, stayingCost: 80, coldCost: 90 });
  assert.equal(firstOf(inputOf([own, cheaper], { conversation })), 'b/b');
  const dearer = candidate('b/b', { cost: 700, stayingCost: 80, coldCost: 700 });
  assert.equal(firstOf(inputOf([own, dearer], { conversation })), 'a/own');
  assert.equal(
    firstOf(
      inputOf([own, dearer], { conversation: { target: 'a/own', excess: { 'b/b': -10 }, hasMoved: false } }),
    ),
    'b/b',
  );
});

test('providers and regions leave out all other targets, and those whose region is unknown', () => {
  const candidates = [
    candidate('bedrock/eu', { region: 'eu-central-1' }),
    candidate('bedrock/us', { region: 'us-east-1' }),
    candidate('anthropic/claude'),
  ];
  const reasonsOf = (more: Partial<RouteInput>) =>
    decide(inputOf(candidates, more)).excluded.map(({ reason }) => reason);
  assert.deepEqual(reasonsOf({ providers: new Set(['bedrock']) }), ['anthropic is not among the providers']);
  assert.deepEqual(reasonsOf({ regions: new Set(['eu-central-1']) }), [
    'region us-east-1',
    'region: unknown',
  ]);
});
