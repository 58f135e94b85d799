import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  answer,
  holder,
  refusal,
  request,
  runCostGuard,
  usd,
  windows,
  worstCaseNano,
} from '../../../test/support/cost-guard-fixture.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { ReplyEvent } from '../../kernel/message.ts';
import type { Handler } from '../../kernel/module.ts';
import type { Budgets } from '../../kernel/ports/budget.ts';
import { answerToEvents } from '../../kernel/reply/answer-events.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { MemoryBudgets } from '../../storage/memory/memory-budgets.ts';

/** What a call does once it has its money. */
interface PlannedCall {
  readonly ending: 'answer' | 'stream' | 'failure' | 'leaves' | 'leaves in the stream';
  readonly outputTokens: number;
  /** When it ends, among the calls in flight. */
  readonly turn: number;
}

const plannedCalls: fc.Arbitrary<readonly PlannedCall[]> = fc.array(
  fc.record({
    ending: fc.constantFrom('answer', 'stream', 'failure', 'leaves', 'leaves in the stream'),
    outputTokens: fc.integer({ min: 0, max: 100 }),
    turn: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 24 },
);

/** Budgets that are looked at after every change. */
function watched(ceiling: number): { readonly budgets: Budgets; spent(): Promise<number> } {
  const inner = new MemoryBudgets(new ManualClock());
  const look = async () => {
    const seen = await inner.hold({ holder, windows, amount: 1, least: 1, ceilings: { day: -1 } });
    if (seen.outcome !== 'refused') return { spent: 0, held: 0 };
    assert.ok(seen.spent + seen.held <= ceiling, `${seen.spent} + ${seen.held} of ${ceiling}`);
    return seen;
  };
  const thenLook = async <Result>(change: Promise<Result>) => {
    const result = await change;
    await look();
    return result;
  };
  const budgets: Budgets = {
    hold: (asked) => thenLook(inner.hold(asked)),
    settle: (held, settlement) => thenLook(inner.settle(held, settlement)),
    renew: (held) => inner.renew(held),
    read: (...read) => inner.read(...read),
    begin: (...begun) => inner.begin(...begun),
    forget: (budgetHolder) => inner.forget(budgetHolder),
  };
  return { budgets, spent: async () => (await look()).spent };
}

test('whatever calls do at once, a ceiling is not passed, and none is refused that what is spent leaves room for', () =>
  fc.assert(
    fc.asyncProperty(plannedCalls, fc.integer({ min: 1, max: 8 }), async (calls, affordable) => {
      const ceiling = affordable * worstCaseNano;
      const { budgets, spent } = watched(ceiling);
      const { run } = runCostGuard({ options: `day=${usd(ceiling)}&wait=25s` }, budgets);
      const inFlight: { readonly turn: number; end(): void }[] = [];
      let open = calls.length;
      let isRefused = false;
      const runs = calls.map(async (planned) => {
        const client = new AbortController();
        const upstream: Handler = async () => {
          await new Promise<void>((resolve) => inFlight.push({ turn: planned.turn, end: resolve }));
          return end(planned, client);
        };
        const { error } = await run(request, { upstream, signal: client.signal });
        open--;
        if (!GatewayError.is(error) || error.code !== 'cost_ceiling_exceeded') return;
        refusal(error, 'cost_ceiling_exceeded');
        isRefused = true;
      });
      while (open > 0) {
        const next = inFlight.toSorted((one, other) => one.turn - other.turn)[0];
        if (next !== undefined) inFlight.splice(inFlight.indexOf(next), 1);
        next?.end();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(runs);
      if (isRefused) assert.ok((await spent()) + worstCaseNano > ceiling);
    }),
    { numRuns: 60 },
  ));

function end({ ending, outputTokens }: PlannedCall, client: AbortController): Reply {
  const whole = { ...answer, usage: { input_tokens: 8, output_tokens: outputTokens } };
  if (ending === 'answer') return Reply.of(whole);
  if (ending === 'stream') return Reply.stream(events(answerToEvents(whole)));
  if (ending === 'failure') throw new GatewayError('upstream_error', 'busy', { status: 529 });
  if (ending === 'leaves') client.abort();
  return Reply.stream(events(answerToEvents(whole), client));
}

async function* events(all: Iterable<ReplyEvent>, client?: AbortController): AsyncGenerator<ReplyEvent> {
  for (const event of all) {
    yield event;
    if (event.type !== 'content_block_delta' || client === undefined) continue;
    client.abort();
    throw new GatewayError('client_gone', 'the client closed the connection');
  }
}
