import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import stamp from '../examples/module-stamp/index.js';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { runModule } from '../src/testing/index.ts';
import { eventually } from './support/eventually.ts';
import { installExample } from './support/install-example.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const request = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] } as const;

test('the example module works as npm packs it, installed beside a project', async (t) => {
  const folder = emptyFolder(t);
  installExample(folder, 'module-stamp');
  const weir = new WeirProcess(t, { folder, environment: { WEIR_MODULES: 'weir-module-stamp' } });
  const url = await weir.listening;
  const call = (path: string, pipeline: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'x-weir-pipeline': pipeline },
      body: JSON.stringify(body),
    });

  await t.test('it is listed among the modules', async () => {
    const answer = await (await fetch(`${url}/v1/capabilities`)).text();
    assert.match(answer, /"name":"stamp","status":"preview"/);
  });

  for (const path of ['/v1/messages', '/v1/chat/completions'])
    for (const stream of [false, true])
      await t.test(`it changes a${stream ? ' streamed' : 'n unstreamed'} answer of ${path}`, async () => {
        const response = await call(path, 'stamp?text=The%20end.', { ...request, stream });
        assert.equal(response.status, 200);
        assert.match(response.headers.get('x-weir-modules') ?? '', /^stamp;changed-reply;/);
        assert.match(await response.text(), /The end\./);
      });

  await t.test('a bad option is refused before anything is sent', async () => {
    const response = await call('/v1/messages', 'stamp?colour=red', request);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /"code":"bad_module_option"/);
  });
});

test('a module that remembers counts answers, also when the gateway is started anew', async (t) => {
  const folder = emptyFolder(t);
  installExample(folder, 'module-tally');
  const environment = { WEIR_MODULES: 'weir-module-tally', WEIR_TALLY_WORD: 'Reply' };
  let answers = 0;
  for (let starts = 0; starts < 2; starts++) {
    const weir = new WeirProcess(t, { folder, environment });
    const url = await weir.listening;
    for (const path of ['/v1/messages', '/v1/chat/completions'])
      for (const stream of [false, true]) {
        const response = await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'x-weir-pipeline': 'tally' },
          body: JSON.stringify({ ...request, stream }),
        });
        assert.equal(response.status, 200);
        assert.match(await response.text(), new RegExp(`Reply ${++answers}\\.`));
        assert.match(response.headers.get('x-weir-modules') ?? '', /^tally;changed-reply;/);
        // Counted when the client has its answer, so that the next may come before it.
        await eventually(async () => (await answersIn(folder)) === answers || undefined);
      }
    assert.doesNotMatch(weir.stdout, /warning/);
    weir.signal('SIGTERM');
    assert.equal((await weir.exited).code, 0);
  }
});

/** What the module has stored. */
async function answersIn(folder: string): Promise<unknown> {
  const database = await openSqlite({ file: join(folder, 'data', 'weir.db') });
  const stored = await database.modules.store('tally', 'local').get('answers');
  await database.close();
  return stored?.value;
}

test('a package that is not there stops the start with one line', async (t) => {
  const weir = new WeirProcess(t, { environment: { WEIR_MODULES: 'weir-module-nowhere' } });
  assert.equal((await weir.exited).code, 1);
  assert.match(weir.stderr, /^weir: WEIR_MODULES: weir-module-nowhere could not be loaded/);
});

for (const [api, version] of [
  ['api: 2,', 'API version 2'],
  ['', 'no API version'],
] as const)
  test(`a package with ${version} stops the start with one line`, async (t) => {
    const folder = emptyFolder(t);
    const file = join(folder, 'old.mjs');
    const source = readFileSync(new URL('../examples/module-stamp/index.js', import.meta.url), 'utf8');
    assert.match(source, /api: 1,/);
    writeFileSync(file, source.replace('api: 1,', api));
    const weir = new WeirProcess(t, { folder, environment: { WEIR_MODULES: file } });
    assert.equal((await weir.exited).code, 1);
    const [line = '', ...others] = weir.stderr.trim().split('\n');
    assert.deepEqual(others, []);
    assert.match(
      line,
      new RegExp(`^weir: WEIR_MODULES: .*: module "stamp" has ${version}, .* supports version 1 only`),
    );
  });

test('a module is tested in ten lines', async () => {
  const { answer, step } = await runModule(stamp, { options: 'text=Bye' })(request);
  assert.equal(step?.effect, 'changed-reply');
  assert.match(JSON.stringify(answer?.content), /Bye/);
});
