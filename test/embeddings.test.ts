import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

/** Says what was asked before that lies nearest, and remembers what is asked. */
const nearModule = `
import { defineModule } from 'weir-gateway/module';
export default defineModule({
  api: 1, name: 'near', summary: 'Tells what was asked before.', status: 'preview', protective: false, ifBroken: 'reject',
  touches: [], options: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } },
  async handle(exchange, next, kit) {
    const text = String(exchange.request.messages.at(-1)?.content[0]?.text ?? exchange.request.messages.at(-1)?.content);
    // Longer than a busy machine takes, and less than is waited for a process that starts.
    const deadlineMs = 10_000;
    const { vector, why } = await kit.embeddings.one(text, { deadlineMs });
    const { found = [] } = vector ? await kit.vectors.search(vector, { most: 1, least: 0.5, deadlineMs }) : {};
    kit.setHeader('near', why ?? found[0]?.data ?? 'nothing');
    kit.runInBackground(async () => {
      const { vector } = await kit.embeddings.one(text, { deadlineMs: 60_000 });
      if (vector) await kit.vectors.add({ id: text, vector, data: text, ttlSeconds: 600 });
    });
    return next(exchange);
  },
});
`;

test('two processes share one that makes vectors', async (t) => {
  const weir = start(t, { WEIR_WORKERS: '2' });
  const url = await weir.listening;
  const workers = await weir.workers();
  assert.equal(workers.length, 2, 'nothing is started before somebody asks');
  assert.deepEqual(at(await capabilities(url), 'embeddings'), {
    source: 'local',
    available: true,
    reason: null,
    local_models: { available: true, reason: null },
  });
  // No process has this id: 0 would be the group of this one.
  let embedder = 2 ** 30;

  await t.test('a call does not wait for its start', async () => {
    assert.equal(await near(url, 'How do I reset my password?'), 'starting');
    embedder = await eventually(async () => (await weir.workers()).find((id) => !workers.includes(id)));
  });

  await t.test('what one process kept, each of them finds', async () => {
    for (let times = 0; times < 4; times++)
      await eventually(async () =>
        /reset/.test(await near(url, 'I want to reset my password')) ? true : undefined,
      );
    assert.equal((await weir.workers()).length, 3);
    // Of a process that is busy the figures are missing for a moment.
    await eventually(async () => {
      const figures = await (await fetch(`${url}/metrics`)).text();
      const isTold = /^weir_embedder_up\{worker="primary"\} 1$/m.test(figures);
      return isTold && /^weir_embedder_answers_total [1-9]/m.test(figures) ? true : undefined;
    });
  });

  await t.test('when it is killed calls go on, and another takes its place', async () => {
    process.kill(embedder, 'SIGKILL');
    assert.match(
      await eventually(async () => {
        const told = await near(url, `A question of its own, ${Math.random()}`);
        return told === 'nothing' || told === 'starting' || told === 'down' ? told : undefined;
      }),
      /nothing|starting|down/,
    );
    await eventually(async () =>
      /reset/.test(await near(url, `How can I reset the password? ${Math.random()}`)) ? true : undefined,
    );
    assert.ok(!(await weir.workers()).includes(embedder));
    embedder = (await weir.workers()).find((id) => !workers.includes(id)) ?? assert.fail();
  });

  await t.test('it ends when the gateway is killed', async () => {
    weir.signal('SIGKILL');
    await weir.exited;
    await eventually(() => (isRunning(embedder) ? undefined : true));
  });
});

test('a gateway that is alone ends it in good order', async (t) => {
  const weir = start(t, {});
  const url = await weir.listening;
  assert.equal(await near(url, 'Hello'), 'starting');

  await t.test('diagnostics name one that dies again and again, and nothing else', async () => {
    await eventually(async () => {
      for (const id of await weir.workers()) process.kill(id, 'SIGKILL');
      const { json } = await call(url, { path: '/v1/diagnostics' });
      const checks = Array.isArray(json.checks) ? json.checks : assert.fail();
      const faults = checks.filter((check) => at(check, 'status') !== 'ok').map((check) => at(check, 'name'));
      if (faults.length > 0) {
        assert.deepEqual(faults, ['models']);
        return true;
      }
      await near(url, `Hello ${Math.random()}`);
      return undefined;
    });
  });

  await eventually(async () => ((await near(url, 'Hello again')) === 'starting' ? true : undefined));
  const [embedder = assert.fail()] = await weir.workers();
  assert.ok(isRunning(embedder));
  weir.signal('SIGTERM');
  assert.deepEqual(await weir.exited, { code: 0, signal: null });
  assert.ok(!isRunning(embedder));
  assert.equal(weir.stderr, '');
});

test('without what they need there are no vectors, and the gateway says why', async (t) => {
  const weir = start(t, {}, ['--import', withoutRuntime(t)]);
  const url = await weir.listening;
  const told = at(await capabilities(url), 'embeddings');
  assert.equal(at(told, 'available'), false);
  assert.match(String(at(told, 'reason')), /onnxruntime-node/);
  assert.equal(await near(url, 'How do I reset my password?'), 'missing');
  assert.deepEqual(await weir.workers(), []);
});

test('they can be switched off, and a provider that does not exist is no source of them', async (t) => {
  const off = start(t, { WEIR_EMBEDDINGS: 'off' });
  const told = at(await capabilities(await off.listening), 'embeddings');
  assert.deepEqual([at(told, 'source'), at(told, 'available')], ['off', false]);
  assert.equal(await near(await off.listening, 'Hello'), 'off');
  const wrong = new WeirProcess(t, { environment: { WEIR_EMBEDDINGS: 'nobody/model' } });
  assert.equal((await wrong.exited).code, 1);
  assert.match(wrong.stderr, /WEIR_EMBEDDINGS: unknown provider "nobody"/);
});

function start(t: TestContext, environment: Record<string, string>, nodeArgs: readonly string[] = []) {
  const folder = emptyFolder(t);
  const packageFolder = join(folder, 'node_modules', 'weir-module-near');
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(
    join(packageFolder, 'package.json'),
    '{"name": "weir-module-near", "type": "module", "exports": "./index.js"}',
  );
  writeFileSync(join(packageFolder, 'index.js'), nearModule);
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'node_modules', 'weir-gateway'), 'dir');
  const set = {
    WEIR_MODULES: 'weir-module-near',
    WEIR_PIPELINE: 'near',
    WEIR_LOG_LEVEL: 'error',
    ...environment,
  };
  return new WeirProcess(t, { folder, environment: set, nodeArgs });
}

/** Stands for `npm ci --omit=optional`: the runtime can't be found. */
function withoutRuntime(t: TestContext): string {
  const file = join(emptyFolder(t), 'without-runtime.mjs');
  const hooks = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name === 'onnxruntime-node') throw new Error('not installed');
  return next(name, context);
} });`;
  writeFileSync(file, hooks);
  return file;
}

async function near(url: string, content: string): Promise<string> {
  const body = { model: 'demo-1', max_tokens: 10, messages: [{ role: 'user', content }] };
  const answer = await fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.get('x-weir-near') ?? assert.fail('the module said nothing');
}

async function capabilities(url: string): Promise<unknown> {
  return (await call(url, { path: '/v1/capabilities' })).json;
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
  } catch {
    return false;
  }
  // One that has ended and was not asked for its code yet is there, too.
  return !/^Z/.test(
    execFileSync('ps', ['-o', 'state=', '-p', String(id)], { encoding: 'utf8' }).trim() || 'Z',
  );
}
