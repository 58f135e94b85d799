import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Clock } from '../../src/lib/clock.ts';
import { limits } from '../../src/modules/patterns/store/limits.ts';
import type { PatternTable } from '../../src/modules/patterns/store/pattern-table.ts';
import { somePattern } from './database/samples.ts';

/** An empty table, as two processes have it. */
type MakeTables = (
  t: TestContext,
  options?: { readonly patternsMax?: number; readonly clock?: Clock },
) => Promise<readonly [PatternTable, PatternTable]>;

const success = { requestId: '', good: 1, bad: 0, note: '' };

/** What every home of patterns must do. */
export function patternTableConformance(name: string, make: MakeTables): void {
  describe(name, () => {
    test('come back as they were, to their owner only', async (t) => {
      const [patterns] = await make(t);
      const pattern = somePattern({ advice: 'ünd "quoted" 🌊', scope: 'u-1', evidence: ['req_1'] });
      assert.equal(await patterns.add('ada', pattern), 'added');
      assert.deepEqual(await patterns.find('ada', pattern.id), pattern);
      assert.equal(await patterns.find('eve', pattern.id), undefined);
      assert.equal(await patterns.change('eve', pattern.id, (one) => ({ ...one, advice: 'x' })), undefined);
      assert.equal(await patterns.delete('eve', pattern.id), false);
      assert.deepEqual(await patterns.byFingerprint('ada', 'u-1', pattern.fingerprint), pattern);
      assert.equal(await patterns.byFingerprint('ada', null, pattern.fingerprint), undefined);
      assert.equal(await patterns.delete('ada', pattern.id), true);
      assert.equal(await patterns.find('ada', pattern.id), undefined);
    });

    test('are no more than there may be, and no two the same, however many come at once', async (t) => {
      const both = await make(t, { patternsMax: 5 });
      const [patterns] = both;
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          both[at % 2]?.add('ada', somePattern({ fingerprint: `f${at % 10}` })),
        ),
      );
      assert.equal(added.filter((one) => one === 'added').length, 5);
      assert.equal((await patterns.page('ada', { limit: 50 })).length, 5);
      assert.equal(await patterns.add('eve', somePattern({ fingerprint: 'f1' })), 'added');
    });

    test('are listed the newest first, page by page, and found by words', async (t) => {
      const [patterns] = await make(t);
      for (const at of [1, 2, 3, 4, 5])
        await patterns.add(
          'ada',
          somePattern({
            id: `pat_${at}`,
            advice: at % 2 === 0 ? 'Use 100% of Ünits_x' : 'nothing',
            state: at === 4 ? 'retired' : 'active',
          }),
        );
      const ids = async (page: Parameters<typeof patterns.page>[1]) =>
        (await patterns.page('ada', page)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2 }), ['pat_5', 'pat_4']);
      assert.deepEqual(await ids({ limit: 9, after: 'pat_4' }), ['pat_3', 'pat_2', 'pat_1']);
      assert.deepEqual(await ids({ limit: 9, search: ['100%', 'ÜNITS_'] }), ['pat_4', 'pat_2']);
      assert.deepEqual(await ids({ limit: 9, search: ['units'] }), []);
      assert.deepEqual(await ids({ limit: 9, search: ['_0%'] }), []);
      assert.deepEqual(await ids({ limit: 9, state: 'retired' }), ['pat_4']);
    });

    test('every change is seen in the version, and none is lost', async (t) => {
      const both = await make(t);
      const [patterns] = both;
      const pattern = somePattern();
      await patterns.add('ada', pattern);
      const before = await patterns.version('ada');
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          both[at % 2]?.change('ada', pattern.id, (one) => ({ ...one, wins: one.wins + 1 })),
        ),
      );
      assert.equal((await patterns.find('ada', pattern.id))?.wins, 20);
      const after = await patterns.version('ada');
      assert.ok(after > before);
      await patterns.change('ada', pattern.id, (one) => one);
      assert.equal(await patterns.version('ada'), after);
    });

    test('one that is widened to where another says the same stays apart from it', async (t) => {
      const [patterns] = await make(t);
      const wide = somePattern({ fingerprint: 'f' });
      const narrow = somePattern({ fingerprint: 'f', scope: 'u-1' });
      await patterns.add('ada', wide);
      await patterns.add('ada', narrow);
      await patterns.change('ada', narrow.id, (one) => ({ ...one, scope: null }));
      assert.equal((await patterns.find('ada', narrow.id))?.scope, null);
      assert.equal((await patterns.byFingerprint('ada', null, 'f'))?.id, wide.id);
    });

    test('a verdict on a conversation reaches what was tried in it, and can be revised', async (t) => {
      const [patterns] = await make(t);
      const [one, other] = [somePattern(), somePattern()];
      await patterns.add('ada', one);
      await patterns.add('ada', other);
      await patterns.trials.recordTrials('ada', 'c1', [{ patternId: one.id, isHeldOut: false }]);
      await patterns.trials.recordTrials(
        'ada',
        'c1',
        [one, other].map(({ id }) => ({ patternId: id, isHeldOut: true })),
      );
      const judge = async (owner: string, conversation: string, good: number) => {
        const seen: unknown[] = [];
        await patterns.judge(
          owner,
          conversation,
          () => ({ good, bad: 1 - good }),
          (pattern, { isHeldOut, before, now }) => {
            seen.push([pattern.id, isHeldOut, before.good, now.good]);
            return { ...pattern, wins: pattern.wins + now.good - before.good };
          },
        );
        return seen.sort();
      };
      const expected = (before: number, now: number) =>
        [
          [one.id, false, before, now],
          [other.id, true, before, now],
        ].sort();
      assert.deepEqual(await judge('ada', 'c1', 0.75), expected(0, 0.75));
      assert.deepEqual(await judge('ada', 'c1', 0.75), []);
      assert.deepEqual(await judge('ada', 'c1', 0), expected(0.75, 0));
      assert.deepEqual(await judge('ada', 'c2', 1), []);
      assert.deepEqual(await judge('eve', 'c1', 1), []);
      assert.equal((await patterns.find('ada', one.id))?.wins, 0);
    });

    test('a verdict is decided by all outcomes that there are in that moment, or not at all', async (t) => {
      const [patterns, other] = await make(t);
      const pattern = somePattern();
      await patterns.add('ada', pattern);
      await patterns.trials.recordTrials('ada', 'c1', [{ patternId: pattern.id, isHeldOut: false }]);
      await Promise.all(
        Array.from({ length: 10 }, async (_, at) => {
          const table = at % 2 === 0 ? patterns : other;
          await table.trials.addOutcome('ada', 'c1', { ...success, requestId: `r${at}` });
          await table.judge(
            'ada',
            'c1',
            (outcomes) => ({ good: outcomes.length / 10, bad: 0 }),
            (one, { before, now }) => ({ ...one, wins: one.wins + now.good - before.good }),
          );
        }),
      );
      assert.equal(Math.round(10 * ((await patterns.find('ada', pattern.id))?.wins ?? 0)), 10);
      const undecided = await patterns.judge(
        'ada',
        'c1',
        () => undefined,
        () => assert.fail(),
      );
      assert.equal(undecided, undefined);
    });

    test('the first word on what a conversation is about stands, until it is old', async (t) => {
      const clock = { ms: 1_000_000, now: () => clock.ms };
      const [{ trials: patterns }, { trials: other }] = await make(t, { clock });
      await patterns.recordGist('ada', 'c1', { about: 'bread', scope: 'u-1' });
      await other.recordGist('ada', 'c1', { about: 'cake', scope: null });
      clock.ms += 1000;
      await patterns.recordGist('ada', 'c2', { about: 'cake', scope: null });
      assert.deepEqual(await other.gist('ada', 'c1'), { about: 'bread', scope: 'u-1' });
      assert.deepEqual(await patterns.gist('ada', 'c2'), { about: 'cake', scope: null });
      assert.equal(await patterns.gist('eve', 'c1'), undefined);
      clock.ms += limits.patternTrialLifeMs - 1000;
      assert.equal(await patterns.gist('ada', 'c1'), undefined);
      assert.notEqual(await patterns.gist('ada', 'c2'), undefined);
    });

    test('the same outcome again is no second one, another is the last word', async (t) => {
      const [{ trials: patterns }] = await make(t);
      await patterns.addOutcome('ada', 'c1', success);
      await patterns.addOutcome('ada', 'c1', success);
      await patterns.addOutcome('ada', 'c1', { ...success, requestId: 'r' });
      await patterns.addOutcome('ada', 'c1', { ...success, good: 0, bad: 1 });
      assert.deepEqual(await patterns.outcomes('ada', 'c1'), [
        { ...success, good: 0, bad: 1 },
        { ...success, requestId: 'r' },
      ]);
      assert.deepEqual(await patterns.outcomes('eve', 'c1'), []);
    });

    test('calls are known with their conversations until they are old', async (t) => {
      const clock = { ms: 1_000_000, now: () => clock.ms };
      const [{ trials: patterns }] = await make(t, { clock });
      await patterns.recordCall('ada', 'r1', 'c1');
      clock.ms += 1000;
      await patterns.recordCall('ada', 'r2', 'c2');
      assert.equal(await patterns.conversationOf('ada', 'r1'), 'c1');
      assert.equal(await patterns.conversationOf('eve', 'r1'), undefined);
      assert.equal(await patterns.callOf('ada', 'c1'), 'r1');
      assert.equal(await patterns.callOf('eve', 'c1'), undefined);
      assert.equal(await patterns.callOf('ada', 'c'.repeat(1000)), undefined);
      clock.ms += limits.patternTrialLifeMs - 1000;
      assert.equal(await patterns.callOf('ada', 'c1'), undefined);
      assert.equal(await patterns.conversationOf('ada', 'r2'), 'c2');
    });
  });
}
