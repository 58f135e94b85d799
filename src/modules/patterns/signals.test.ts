import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChatRequest, Message, Tool } from '../../kernel/message.ts';
import { extractLessons } from './lessons.ts';
import { scoreConversation } from './signals.ts';
import { didTestsPass } from './test-runs.ts';

const said = (content: string): Message => ({ role: 'user', content });
const answered: Message = { role: 'assistant', content: 'Done.' };
let calls = 0;
const ran = (output: string, is_error?: boolean, input: object = {}): readonly Message[] => {
  const id = `t${++calls}`;
  const failed = is_error === undefined ? {} : { is_error };
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'run', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output, ...failed }] },
  ];
};
const task = said('Make the shop faster.');

describe('how a conversation seems to go', () => {
  const verdict = (name: 'tools' | 'tests' | 'correction' | 'retry', ...messages: readonly Message[]) => {
    const { good, bad } = scoreConversation([task, ...messages], 0, [name]);
    return [good, bad];
  };

  test('tools: by the share of calls that did not fail, however a failure is reported', () => {
    assert.deepEqual(verdict('tools', ...ran('ok'), ...ran('ok')), [0.2, 0]);
    assert.deepEqual(verdict('tools', ...ran('ok'), ...ran('no', true)), [0.1, 0.1]);
    for (const output of ['Error: no', '{"error": "x"}', 'Traceback (most recent', 'exit code: 2'])
      assert.deepEqual(verdict('tools', ...ran(output)), [0, 0.2], output);
    assert.deepEqual(verdict('tools', ...ran('Error: not marked', false)), [0.2, 0]);
    assert.deepEqual(verdict('tools', answered), [0, 0]);
  });

  test('tests: from red to green is good, from green to red is bad, also at the end of a long output', () => {
    const [red, green] = ['Tests: 2 failed, 8 passed', 'Tests: 0 failed, 10 passed'];
    assert.deepEqual(verdict('tests', ...ran(red), ...ran(green)), [0.3, 0]);
    assert.deepEqual(verdict('tests', ...ran(green), ...ran(red)), [0, 0.3]);
    assert.deepEqual(verdict('tests', ...ran(red), ...ran('wrote a file')), [0, 0.3]);
    assert.deepEqual(verdict('tests', ...ran(`${'line\n'.repeat(50_000)}${green}`)), [0.3, 0]);
    assert.deepEqual(verdict('tests', ...ran('wrote a file')), [0, 0]);
  });

  test('correction: a person corrects the model, and no tool does', () => {
    const no = 'No, use the index of the table instead.';
    assert.deepEqual(verdict('correction', answered, said(no)), [0, 0.3]);
    assert.deepEqual(verdict('correction', ...ran(no)), [0, 0]);
    assert.deepEqual(
      verdict('correction', answered, said(`<system-reminder>\n${no}\n</system-reminder>`)),
      [0, 0],
    );
    assert.deepEqual(verdict('correction', answered, said('Great, thanks!')), [0, 0]);
  });

  test('retry: a person says the same again', () => {
    assert.deepEqual(verdict('retry', answered, said('make the shop FASTER')), [0, 0.2]);
    assert.deepEqual(verdict('retry', answered, said('Make the shop nicer.')), [0, 0]);
    assert.deepEqual(verdict('retry', answered, said('Go on.'), answered, said('Go on.')), [0, 0]);
  });

  test('what is switched off counts for nothing, and all together for one conversation at most', () => {
    const messages = [
      task,
      ...ran('1 failed, 2 passed', true),
      said('No, use the other index instead.'),
      task,
    ];
    assert.deepEqual(scoreConversation(messages, 0, []), { good: 0, bad: 0 });
    const { good, bad } = scoreConversation(messages, 0, ['tools', 'tests', 'correction', 'retry']);
    assert.ok(good === 0 && bad <= 1 && bad > 0.9, `${bad}`);
  });

  test('only what comes after advice counts for it', () => {
    const messages = [task, ...ran('no', true), said('Try it in another way, please.'), ...ran('ok')];
    assert.deepEqual(scoreConversation(messages, 3, ['tools']), { good: 0.2, bad: 0 });
  });
});

describe('runs of tests', () => {
  const runs: readonly (readonly [string, string, string])[] = [
    ['jest', 'Tests:       1 failed, 5 passed, 6 total', 'Tests:       6 passed, 6 total'],
    ['vitest', ' Tests  2 failed | 10 passed (12)', ' Tests  12 passed (12)'],
    ['pytest', '== 1 failed, 3 passed in 0.12s ==', '== 4 passed in 0.12s =='],
    ['pytest with errors', '== 3 passed, 1 error in 0.12s ==', '== 4 passed, 2 warnings in 0.12s =='],
    ['unittest', 'Ran 5 tests in 0.1s\n\nFAILED (failures=1)', 'Ran 5 tests in 0.1s\n\nOK'],
    ['go', '--- FAIL: TestX (0.0s)\nFAIL\tshop\t0.1s', 'ok  \tshop\t0.012s'],
    [
      'cargo, of several crates',
      'test result: ok. 5 passed; 0 failed;\ntest result: FAILED. 3 passed; 2 failed;',
      'test result: ok. 5 passed; 0 failed; 0 ignored',
    ],
    ['mocha', '  5 passing (10ms)\n  2 failing', '  7 passing (10ms)'],
    ['node', 'ℹ pass 4\nℹ fail 1', 'ℹ pass 5\nℹ fail 0'],
    ['tap', 'ok 1 - a\nnot ok 2 - b\n# tests 2', '# tests 2\n# pass 2\n# fail 0'],
    ['maven', 'Tests run: 5, Failures: 1, Errors: 0', 'Tests run: 5, Failures: 0, Errors: 0, Skipped: 0'],
    ['dotnet', 'Failed!  - Failed:     1, Passed:     4', 'Passed!  - Failed:     0, Passed:     5'],
    ['rspec', '5 examples, 1 failure', '5 examples, 0 failures'],
    ['phpunit', 'FAILURES!\nTests: 5, Assertions: 5, Failures: 1.', 'OK (5 tests, 10 assertions)'],
    [
      'ctest',
      '80% tests passed, 1 tests failed out of 5',
      '100% tests passed, 0 tests failed out of 5\n5 tests passed',
    ],
  ];
  for (const [runner, red, green] of runs)
    test(runner, () => assert.deepEqual([didTestsPass(red), didTestsPass(green)], [false, true]));

  test('other words are none', () => {
    for (const output of [
      'Deployed.',
      'found 3 errors in config.yaml',
      'The plan failed twice.',
      'a pass 3 km away',
    ])
      assert.equal(didTestsPass(output), undefined, output);
  });
});

describe('a tool that fails twice in the same way', () => {
  const tool: Tool = {
    name: 'run',
    input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  };
  const request = (...messages: readonly Message[]): ChatRequest => ({
    model: 'demo-1',
    messages: [task, ...messages],
    tools: [tool],
  });
  const fails = (path: string, output = 'Error: no such file') => ran(output, true, { path });

  test('is a lesson, by the shape of what it was given', () => {
    const [lesson, ...others] = extractLessons(request(...fails('a.txt'), ...fails('b.txt')));
    assert.equal(
      lesson?.advice,
      'Calling run with "path" as a relative path has failed again and again (not found): try another way at once.',
    );
    assert.deepEqual([lesson.trigger.tools, others], [['run'], []]);
  });

  test('is none where it failed once, otherwise, or with other shapes', () => {
    assert.deepEqual(extractLessons(request(...fails('a.txt'))), []);
    assert.deepEqual(
      extractLessons(request(...fails('a.txt'), ...fails('b.txt', 'Error: permission denied'))),
      [],
    );
    assert.deepEqual(extractLessons(request(...fails('a.txt'), ...fails('/srv/b.txt'))), []);
    assert.deepEqual(extractLessons(request(...fails('a.txt'), ...ran('ok', false, { path: 'c.txt' }))), []);
  });
});
