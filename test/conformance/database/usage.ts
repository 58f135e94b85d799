import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reservation, UsageDaysQuery, UsageGroups } from '../../../src/kernel/ports/records.ts';
import { limits } from '../../../src/storage/limits.ts';
import { someDay, someKey, someMember, someProject } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function usageConformance(setUpDatabase: SetUpDatabase): void {
  describe('usage', () => {
    const { day } = someDay();
    const counted = [{ accountId: 'local', periodStartMs: 1_762_000_000_000, calls: 2 }];

    test('batches add up, also where one names a row twice', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const row = someDay({ costNanoUsd: 2_000_000_000_000_000 });
      const days = [row, { ...row, requests: 3, failed: 2 }];
      for (const id of ['first', 'second'])
        await usage.add({ id, atMs: 1, days, counted: [...counted, ...counted] });
      assert.deepEqual(await usage.days({ accountId: 'local', from: day, to: day }), [
        {
          ...row,
          requests: 8,
          failed: 4,
          inputTokens: 40,
          outputTokens: 80,
          cacheReadTokens: 12,
          cacheWriteTokens: 16,
          costNanoUsd: 8_000_000_000_000_000,
        },
      ]);
      assert.equal((await usage.quotaUsage('local', 1_762_000_000_000)).calls, 8);
      assert.equal((await usage.quotaUsage('local', 1)).calls, 0);
      assert.equal((await usage.quotaUsage('somebody else', 1_762_000_000_000)).calls, 0);
    });

    test('a batch counts once, however often it is added', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const other = await open();
      const batch = { id: 'one', atMs: 1, days: [someDay()], counted };
      await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? database : other).usage.add(batch)));
      await other.usage.add(batch);
      assert.deepEqual(await database.usage.days({ accountId: 'local', from: day, to: day }), [someDay()]);
      assert.equal((await database.usage.quotaUsage('local', 1_762_000_000_000)).calls, 2);
    });

    test('batches that are added at once lose nothing, whatever the order of their rows', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const other = await open();
      const days = Array.from({ length: 1200 }, (_, at) => someDay({ model: `model ${at % 600}` }));
      const periods = Array.from({ length: 20 }, (_, at) => ({
        accountId: `account ${at}`,
        periodStartMs: 1,
        calls: 1,
      }));
      const adds = Array.from({ length: 12 }, (_, at) => {
        const turned = at % 3 === 0;
        return (at % 2 === 0 ? database : other).usage.add({
          id: `batch ${at}`,
          atMs: 1,
          days: turned ? days.toReversed() : days,
          counted: turned ? periods.toReversed() : periods,
        });
      });
      await Promise.all(adds);
      const sums = await database.usage.days({ accountId: undefined, from: day, to: day });
      assert.deepEqual([sums.length, new Set(sums.map(({ requests }) => requests))], [600, new Set([24])]);
      assert.equal((await database.usage.quotaUsage('account 7', 1)).calls, 12);
    });

    test('a batch that fails adds nothing of itself, and can be added when it is right', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const broken = { ...someDay({ model: 'b' }), requests: 1.5 };
      const batch = { id: 'one', atMs: 1, counted };
      await assert.rejects(usage.add({ ...batch, days: [someDay({ model: 'a' }), broken] }));
      assert.deepEqual(await usage.days({ accountId: 'local', from: day, to: day }), []);
      await usage.add({ ...batch, days: [someDay()] });
      assert.equal((await usage.quotaUsage('local', 1_762_000_000_000)).calls, 2);
    });

    test('days are returned from the first to the last, of one account or of all, in order', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const named = (day: string, keyId: string, provider: string, model: string) =>
        someDay({ day, keyId, provider, model, accountId: keyId === 'k3' ? 'other' : 'local' });
      const inOrder = [
        named('2026-11-14', 'k2', 'openai', 'a'),
        named('2026-11-15', '', 'openai', 'B'),
        named('2026-11-15', '', 'openai', 'a'),
        named('2026-11-15', 'k1', 'groq', 'z'),
        named('2026-11-15', 'k1', 'openai', 'a'),
        named('2026-11-15', 'k3', 'openai', 'a'),
        named('2026-11-16', '', 'groq', 'a'),
      ];
      const outside = [named('2026-11-13', '', 'groq', 'a'), named('2026-11-17', '', 'groq', 'a')];
      await usage.add({ id: 'one', atMs: 1, days: [...outside, ...inOrder.toReversed()], counted: [] });
      const range = { from: '2026-11-14', to: '2026-11-16' };
      assert.deepEqual(await usage.days({ accountId: undefined, ...range }), inOrder);
      const own = inOrder.filter(({ accountId }) => accountId === 'local');
      assert.deepEqual(await usage.days({ accountId: 'local', ...range }), own);
      assert.deepEqual(await usage.days({ accountId: 'nobody', ...range }), []);
    });

    test('days are summed up by day and model, and by key, of one account or of all', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { usage } = database;
      const days = [
        someDay({ day: '2026-11-14', keyId: 'k1', model: 'a', costNanoUsd: 5_000_000_000_000 }),
        someDay({ day: '2026-11-14', keyId: 'k2', model: 'a', costNanoUsd: 1 }),
        someDay({ day: '2026-11-14', keyId: 'k2', model: 'a', provider: 'groq' }),
        someDay({ day: '2026-11-15', keyId: 'k1', model: 'b' }),
        someDay({ day: '2026-11-15', keyId: 'k1', model: 'b', accountId: 'other' }),
        someDay({ day: '2026-11-16', keyId: 'k1', model: 'b' }),
      ];
      await usage.add({ id: 'one', atMs: 1, days, counted: [] });
      const { provider, ...sums } = someDay();
      const grouped = async (by: keyof UsageGroups, query: Partial<UsageDaysQuery> = {}) => {
        const range = { accountId: 'local', from: '2026-11-14', to: '2026-11-15' };
        const groups = await usage.groups({ ...range, ...query });
        return groups[by]
          .map(({ day, keyId, provider: at, model, requests, costNanoUsd, ...rest }) => {
            assert.equal(rest.accountId, '');
            return [day, keyId, at, model, requests / sums.requests, costNanoUsd] as const;
          })
          .toSorted();
      };
      const cost = sums.costNanoUsd;
      const models = [
        ['2026-11-14', '', 'groq', 'a', 1, cost],
        ['2026-11-14', '', provider, 'a', 2, 5_000_000_000_001],
        ['2026-11-15', '', provider, 'b', 1, cost],
      ];
      assert.deepEqual(await grouped('models'), models);
      assert.deepEqual(await grouped('keys'), [
        ['', 'k1', '', '', 2, 5_000_000_000_000 + cost],
        ['', 'k2', '', '', 2, 1 + cost],
      ]);
      assert.deepEqual(await grouped('keys', { keyIds: ['k2', 'k3'] }), [['', 'k2', '', '', 2, 1 + cost]]);
      assert.deepEqual(await grouped('models', { keyIds: ['k2'] }), [
        ['2026-11-14', '', 'groq', 'a', 1, cost],
        ['2026-11-14', '', provider, 'a', 1, 1],
      ]);
      assert.deepEqual(await grouped('keys', { keyIds: [] }), []);
      const [ofAll] = await grouped('keys', { accountId: undefined, keyIds: ['k1'] });
      assert.equal(ofAll?.[4], 3);

      const modelRows = () =>
        execute(
          `select account_id, day, provider, model, requests from usage_model_days order by account_id, day, model, provider`,
        );
      const made = await modelRows();
      assert.equal(made.length, 5);
      // What a replica of an older version adds, and what it is too early for.
      await execute(`update usage_days set requests = requests + 1 where model = 'a' and key_id = 'k1'`);
      await execute(`delete from usage_model_days where day = '2026-11-15' and account_id = 'local'`);
      const [first, second = [], third] = models;
      const added = [...second.slice(0, 4), 2 + 1 / sums.requests, second[5]];
      for (let time = 0; time < 2; time++)
        assert.deepEqual(await grouped('models'), [first, added, third], `time ${time}`);
      await usage.add({
        id: 'two',
        atMs: 1,
        days: [someDay({ day: '2026-11-15', model: 'b' })],
        counted: [],
      });
      assert.equal((await grouped('models'))[2]?.[4], 2);
      assert.equal((await modelRows()).length, made.length);
    });

    test('days are summed up by project, whatever keys others name', async (t) => {
      const { usage, apiKeys, projects, identities } = (await setUpDatabase(t)).database;
      const members = [someMember(), someMember()] as const;
      for (const member of members) await identities.add(member);
      const [mine, other] = members.map(({ account }) => account.id);
      assert.ok(mine !== undefined && other !== undefined);
      const project = someProject(mine, 'Search');
      await projects.add(project, 9);
      const [inside, outside] = [someKey(mine, { projectId: project.id }), someKey(mine)];
      for (const key of [inside, outside]) assert.equal(await apiKeys.add(key, 9), true);
      const days = [inside, inside, outside].map(({ id: keyId }, at) =>
        someDay({ accountId: mine, keyId, day: '2026-11-14', model: `m${at}`, costNanoUsd: 10 ** at }),
      );
      const forged = someDay({ accountId: other, keyId: inside.id, day: '2026-11-14' });
      await usage.add({ id: 'one', atMs: 1, days: [...days, forged], counted: [] });
      const costs = async (accountId: string) => {
        const found = await usage.projects({ accountId, from: '2026-11-14', to: '2026-11-14' });
        return new Map(found.map(({ projectId, costNanoUsd }) => [projectId, costNanoUsd]));
      };
      assert.deepEqual(
        await costs(mine),
        new Map([
          [project.id, 11],
          [null, 100],
        ]),
      );
      assert.deepEqual(await costs(other), new Map([[null, forged.costNanoUsd]]));
    });

    test('sums are by account and day, month or range, of one account or of all', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const days = [
        someDay({ day: '2026-10-31', model: 'a' }),
        someDay({ day: '2026-11-01', model: 'a', costNanoUsd: 5_000_000_000_000 }),
        someDay({ day: '2026-11-01', model: 'b', costNanoUsd: 1 }),
        someDay({ day: '2026-11-02', accountId: 'other' }),
      ];
      await usage.add({ id: 'one', atMs: 1, days, counted: [] });
      const sums = async (accountId: string | undefined, per: 'day' | 'month' | 'range', to = '2026-11-02') =>
        (await usage.sums({ accountId, from: '2026-10-31', to, per })).map((row) => [
          row.period,
          row.accountId,
          row.requests,
        ]);
      const each = someDay().requests;
      assert.deepEqual(await sums(undefined, 'day'), [
        ['2026-10-31', 'local', each],
        ['2026-11-01', 'local', 2 * each],
        ['2026-11-02', 'other', each],
      ]);
      assert.deepEqual(await sums('local', 'month', '2026-11-01'), [
        ['2026-10', 'local', each],
        ['2026-11', 'local', 2 * each],
      ]);
      const [local, ...others] = await usage.sums({
        accountId: undefined,
        from: '2026-11-01',
        to: '2026-11-01',
        per: 'range',
      });
      const { accountId: _, day: __, keyId: ___, provider: ____, model: _____, ...one } = someDay();
      const doubled = Object.fromEntries(Object.entries(one).map(([name, value]) => [name, 2 * value]));
      assert.deepEqual(others, []);
      assert.deepEqual(local, {
        ...doubled,
        accountId: 'local',
        period: '',
        costNanoUsd: 5_000_000_000_001,
      });
    });

    test('what modules did adds up with the batch that it came in, once, and also below nothing', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const none = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };
      const some = {
        accountId: 'local',
        day,
        module: 'patterns',
        calls: 2,
        savedNanoUsd: -3,
        spentNanoUsd: 5,
        with: { conversations: 1, costNanoUsd: 7, squaredUsd: 0.25 },
        without: none,
      };
      const other = { ...some, accountId: 'other', module: 'exact-cache', savedNanoUsd: 9 };
      const batch = { id: 'one', atMs: 1, days: [], counted: [], modules: [some, some, other] };
      for (const id of ['one', 'one', 'two']) await usage.add({ ...batch, id });
      const sum = {
        ...some,
        calls: 8,
        savedNanoUsd: -12,
        spentNanoUsd: 20,
        with: { conversations: 4, costNanoUsd: 28, squaredUsd: 1 },
      };
      assert.deepEqual(await usage.modules({ accountId: 'local', from: day, to: day }), [sum]);
      const all = await usage.modules({ accountId: undefined, from: day, to: day });
      assert.deepEqual(
        all.map(({ module, savedNanoUsd }) => [module, savedNanoUsd]),
        [
          ['exact-cache', 18],
          ['patterns', -12],
        ],
      );
      assert.deepEqual(
        await usage.modules({ accountId: undefined, from: '2000-01-01', to: '2000-01-02' }),
        [],
      );
    });

    test('usage by tag adds up once, and values beyond the limits of a day share a row', async (t) => {
      const { usage } = (await setUpDatabase(t)).database;
      const { accountId: _, keyId: __, provider: ___, model: ____, ...sums } = someDay({ costNanoUsd: 1 });
      const of = (tag: string, value: string, accountId = 'local') => ({ ...sums, accountId, tag, value });
      const add = (id: string, tags: readonly ReturnType<typeof of>[]) =>
        usage.add({ id, atMs: 1, days: [], counted: [], tags });
      const costs = async (tag?: string) =>
        (await usage.tags({ accountId: 'local', from: day, to: day, tag })).map(
          (row) => `${row.tag}=${row.value} ${row.costNanoUsd}`,
        );
      for (const id of ['one', 'one', 'two'])
        await add(id, [of('team', 'a'), of('team', 'a'), of('env', 'x'), of('team', 'a', 'other')]);
      assert.deepEqual(await costs(), ['env=x 2', 'team=a 4']);
      assert.deepEqual(await costs('team'), ['team=a 4']);
      const most = limits.tagValuesPerDay;
      const ids = (from: number) => Array.from({ length: most }, (_, at) => of('id', `v${from + at}`));
      await add('three', ids(0));
      await add('four', [...ids(most / 2), of('team', 'b')]);
      const [rest, ...others] = await costs('id');
      assert.deepEqual([rest, others.length], [`id= ${most / 2}`, most]);
      assert.equal(others.filter((row) => row.endsWith(' 2')).length, most / 2);
      assert.deepEqual(await costs('team'), ['team=a 4', 'team=b 1']);
      const names = limits.tagDayRows / most + 1;
      for (let name = 0; name < names; name++)
        await add(
          `many ${name}`,
          Array.from({ length: most }, (_, at) => of(`tag${name}`, `v${at}`)),
        );
      const all = await costs();
      assert.ok(all.length <= limits.tagDayRows + 1, String(all.length));
      assert.match(all[0] ?? '', /^= [1-9]/);
      assert.deepEqual(await usage.tags({ accountId: undefined, from: '2000-01-01', to: '2000-01-02' }), []);
    });

    describe('reservations', () => {
      const month = { accountId: 'a', of: 'calls', keyId: '', periodStartMs: 1 } as const;
      const money = { accountId: 'a', of: 'spending', keyId: 'k', periodStartMs: 0 } as const;
      const some = (given: Partial<Reservation> = {}): Reservation => ({
        ...month,
        processId: 'one',
        amount: 5,
        atMs: 10,
        untilMs: 2_000_000_000_000,
        ...given,
      });

      test('the latest that a process reserved holds, and nothing is kept of nothing', async (t) => {
        const { database, execute } = await setUpDatabase(t);
        const { usage } = database;
        await usage.reserve([some(), some({ processId: 'other', amount: 7 }), some({ ...money, amount: 9 })]);
        await usage.reserve([some({ amount: 3, atMs: 11, untilMs: 12 })]);
        assert.deepEqual(await usage.reserved(month), [
          some({ amount: 3, atMs: 11, untilMs: 12 }),
          some({ processId: 'other', amount: 7 }),
        ]);
        assert.deepEqual(await usage.reserved(money), [some({ ...money, amount: 9 })]);
        await usage.reserve([some({ amount: 0 }), some({ processId: 'other', amount: 8 })]);
        assert.deepEqual(await usage.reserved(month), [some({ processId: 'other', amount: 8 })]);
        await usage.reserve([some({ processId: 'other', amount: 0 }), some({ ...money, amount: 0 })]);
        assert.deepEqual(await execute('select * from reservations'), []);
      });

      test('those of another account, period or key are not returned', async (t) => {
        const { usage } = (await setUpDatabase(t)).database;
        await usage.reserve([
          some(),
          some({ accountId: 'b', amount: 1 }),
          some({ periodStartMs: 2, amount: 1 }),
          some(money),
          some({ ...money, keyId: 'l', amount: 1 }),
        ]);
        assert.deepEqual(await usage.reserved(month), [some()]);
        assert.deepEqual(await usage.reserved(money), [some(money)]);
        assert.deepEqual(await usage.quotaUsage('a', 1), { calls: 0, reserved: [some()] });
      });

      test('are lowered together with the batch that they were for, also when it is added again', async (t) => {
        const { usage } = (await setUpDatabase(t)).database;
        await usage.reserve([some()]);
        const batch = { id: 'one', atMs: 1, days: [], counted: [{ ...month, calls: 2 }] };
        await usage.add({ ...batch, reserved: [some({ amount: 3 })] });
        assert.deepEqual(await usage.quotaUsage('a', 1), { calls: 2, reserved: [some({ amount: 3 })] });
        await usage.add({ ...batch, reserved: [some({ amount: 4 })] });
        assert.deepEqual(await usage.quotaUsage('a', 1), { calls: 2, reserved: [some({ amount: 4 })] });
        const broken = { ...batch, id: 'two', counted: [{ ...month, calls: 1.5 }] };
        await assert.rejects(usage.add({ ...broken, reserved: [some({ amount: 0 })] }));
        assert.deepEqual(await usage.quotaUsage('a', 1), { calls: 2, reserved: [some({ amount: 4 })] });
      });

      test('a batch of a killed process lowers its reservations once', async (t) => {
        const { usage } = (await setUpDatabase(t)).database;
        await usage.reserve([some(), some({ processId: 'other' }), some({ ...money, amount: 9 })]);
        const settled = [
          { ...month, processId: 'one', amount: 2 },
          { ...money, processId: 'one', amount: 9 },
          { ...month, accountId: 'b', processId: 'one', amount: 1 },
        ];
        for (let adds = 0; adds < 2; adds++) {
          await usage.add({ id: 'one', atMs: 1, days: [], counted: [{ ...month, calls: 2 }], settled });
          assert.deepEqual(await usage.quotaUsage('a', 1), {
            calls: 2,
            reserved: [some({ amount: 3 }), some({ processId: 'other' })],
          });
          assert.deepEqual(await usage.reserved(money), []);
        }
      });

      test('a count has every call once, while what is reserved becomes what is stored', async (t) => {
        const { open, database } = await setUpDatabase(t);
        const other = await open();
        const total = 30;
        await database.usage.reserve([some({ amount: total })]);
        const counts: number[] = [];
        const counting = async () => {
          for (;;) {
            const { calls, reserved } = await other.usage.quotaUsage('a', 1);
            counts.push(calls + (reserved[0]?.amount ?? 0));
            if (calls === total) return;
          }
        };
        const storing = async () => {
          for (let left = total - 1; left >= 0; left--)
            await database.usage.add({
              id: `batch ${left}`,
              atMs: 1,
              days: [],
              counted: [{ ...month, calls: 1 }],
              reserved: [some({ amount: left })],
            });
        };
        await Promise.all([counting(), storing()]);
        assert.deepEqual(new Set(counts), new Set([total]));
      });

      test('many are written at once, and those whose time is over are forgotten', async (t) => {
        const { database, execute } = await setUpDatabase(t);
        const many = Array.from({ length: 450 }, (_, at) =>
          some({ accountId: `account ${at}`, untilMs: at }),
        );
        await database.usage.reserve(many);
        assert.deepEqual(
          await database.usage.reserved({ ...month, accountId: 'account 449' }),
          many.slice(-1),
        );
        await database.usage.reserve(many.slice(0, 400).map((one) => ({ ...one, amount: 0 })));
        const living = [some({ untilMs: 450 }), some({ ...money, untilMs: 450 })];
        await database.usage.reserve([...living, some({ ...money, processId: 'over', untilMs: 449 })]);
        // The holders of budgets that they counted in.
        assert.deepEqual(await database.usage.endReservations(450), [{ accountId: 'a', keyId: 'k' }]);
        assert.equal((await execute('select * from reservations')).length, living.length);
        assert.deepEqual(await database.usage.endReservations(450), []);
      });
    });

    test('batches of long ago are forgotten, and those of late are not', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const start = 1_763_000_000_000;
      const times = [
        start,
        start + limits.usageBatchKeptMs,
        start + limits.usageBatchKeptMs + limits.usageBatchCleanupMs,
      ];
      for (const [at, atMs] of times.entries())
        await database.usage.add({ id: `batch ${at}`, atMs, days: [], counted: [] });
      const kept = await execute('select id from usage_batches order by id');
      assert.deepEqual(JSON.parse(JSON.stringify(kept)), [{ id: 'batch 1' }, { id: 'batch 2' }]);
    });
  });
}
