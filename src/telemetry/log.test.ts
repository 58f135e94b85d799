import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog, type Log, type LogLevel, logLevels } from './log.ts';

describe('a line of the log', () => {
  test('has level and time, then facts, then what it says', () => {
    const line = said((log) => log.info({ id: 'x', ratio: Number.NaN, none: undefined }, 'said "so"'));
    assert.match(
      line,
      /^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","id":"x","ratio":null,"msg":"said \\"so\\""\}\n$/,
    );
  });

  test('logs an error with its causes, its own fields and its inner errors', () => {
    const inner = Object.assign(new TypeError('inner'), { code: 'ECONNRESET', stack: 'at inner' });
    const outer = Object.assign(new Error('outer', { cause: inner }), { stack: 'at outer', errno: 5 });
    const logged = {
      type: 'Error',
      message: 'outer: inner',
      stack: 'at outer\ncaused by: at inner',
      errno: 5,
    };
    assert.deepEqual(fact({ err: outer }, 'err'), logged);
    assert.deepEqual(fact({ fault: { of: outer } }, 'fault'), { of: logged });
    const both = Object.assign(new AggregateError([inner, outer], 'both'), { stack: 'at both' });
    const first = { type: 'TypeError', message: 'inner', stack: 'at inner', code: 'ECONNRESET' };
    assert.deepEqual(fact({ err: both }, 'err'), {
      type: 'AggregateError',
      message: 'both',
      stack: 'at both',
      aggregateErrors: [first, logged],
    });
    assert.deepEqual(fact({ err: { message: 'of no class' } }, 'err'), {
      type: 'Object',
      message: 'of no class',
      stack: '',
    });
    assert.equal(fact({ err: 'thrown as text' }, 'err'), 'thrown as text');
  });

  test('is there whatever the facts are', () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    const causedByItself = new Error('itself');
    causedByItself.cause = causedByItself;
    const thrower = {
      fine: 1,
      get worse() {
        throw new Error('worse');
      },
    };
    const closed = new Proxy({}, { ownKeys: () => assert.fail('closed') });
    const spoilt = Object.assign(new Error('spoilt'), { toJSON: () => assert.fail('toJSON') });
    Object.defineProperty(spoilt, 'stack', { get: () => assert.fail('stack') });
    assert.deepEqual(fact({ circle }, 'circle'), { again: '[circular]' });
    assert.equal(fact({ many: 5n }, 'many'), '5');
    assert.deepEqual(fact({ thrower }, 'thrower'), { fine: 1, worse: '[unreadable]' });
    assert.equal(fact({ closed }, 'closed'), '[unreadable]');
    assert.equal(fact({ err: spoilt }, 'err'), '[unreadable]');
    assert.equal(fact({ bytes: Buffer.from('private') }, 'bytes'), '[7 bytes]');
    assert.equal(fact({ when: new Date(Number.NaN) }, 'when'), null);
    assert.equal(
      fact({ run: Object.assign(() => 1, { toJSON: () => assert.fail('run') }) }, 'run'),
      undefined,
    );
    assert.match(String(Object.values(Object(fact({ err: causedByItself }, 'err')))), /itself/);
    assert.match(
      said((log) => log.error(closed, 'closed')),
      /"msg":"closed"\}\n$/,
    );
    assert.match(
      said((log) => log.error(thrower, 'worse')),
      /"worse":"\[unreadable\]","msg":"worse"\}\n$/,
    );
  });

  test('has an end, however deep and wide the facts are', () => {
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth++) deep = { deep };
    let error = new Error('cause 0');
    for (let cause = 1; cause < 10_000; cause++) error = new Error(`cause ${cause}`, { cause: error });
    const wide = Array.from({ length: 100_000 }, () => 'wide');
    assert.ok(said((log) => log.error({ deep, wide, err: error }, 'much')).length < 100_000);
  });

  test('is written from its level on', () => {
    const linesAt = (level: LogLevel) =>
      said((log) => {
        log.info({}, 'i');
        log.error({}, 'e');
      }, level).match(/"msg":"."/g)?.length ?? 0;
    assert.deepEqual(logLevels.map(linesAt), [2, 2, 1, 1, 0]);
    assert.deepEqual(
      logLevels.map((level) => createLog(level, { write: () => undefined }).logsCalls),
      [true, true, false, false, false],
    );
  });
});

function said(say: (log: Log) => void, level: LogLevel = 'info'): string {
  let written = '';
  const write = (line: string) => {
    written += line;
  };
  say(createLog(level, { write }));
  return written;
}

function fact(facts: object, name: string): unknown {
  return JSON.parse(said((log) => log.error(facts, 'message')))[name];
}
