import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { fuzzCallSockets } from '../../../test/fuzz/fuzz-call-sockets.ts';
import { at } from '../../../test/support/at.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { httpImplementations } from '../../../test/support/http-server.ts';
import { serveRoutes } from '../../../test/support/own-routes.ts';
import type { CallerIdentity } from '../../calls/caller-authenticator.ts';
import type { HttpImplementation } from '../../http/server.ts';
import { openaiResponses } from '../../wire/index.ts';
import { readBody } from '../body.ts';
import { BodyMemoryBudget } from '../body-memory-budget.ts';
import { limits } from '../limits.ts';
import type { CallSocketParts } from './call-socket.ts';
import { callSocketRoutes } from './call-socket-route.ts';

const identity: CallerIdentity = {
  caller: { kind: 'local' },
  accountId: 'somebody',
  pipelineConfig: null,
  key: undefined,
  session: undefined,
};
const mebibyte = 1024 * 1024;
const lifeMs = 600_000;

type Call = CallSocketParts['call'];

const answerAtOnce: Call = async (_, res) => {
  res.writeHead(200, []).end(event('response.completed'));
};

function event(type: string, fields: object = {}): string {
  return `${JSON.stringify({ type, response: { id: 'resp_1', output: [] }, ...fields })}\n`;
}

interface ServedClient {
  readonly client: WebSocket;
  readonly memoryBudget: BodyMemoryBudget;
  /** The messages that the client received. */
  readonly messages: readonly object[];
  readonly webSockets: { readonly size: number };
}

async function connect(
  t: TestContext,
  implementation: HttpImplementation,
  {
    call = answerAtOnce,
    bytesMax = 64 * mebibyte,
  }: {
    readonly call?: Call;
    readonly bytesMax?: number;
  },
): Promise<ServedClient> {
  const memoryBudget = new BodyMemoryBudget({ totalBytesMax: bytesMax, callerBytesMax: bytesMax });
  const identify = () => Promise.resolve(identity);
  const routes = callSocketRoutes([openaiResponses], {
    callers: { identify, reidentify: identify, identifyCurrent: identify },
    call,
    memoryBudget,
    requestId: () => 'req_1',
    lifeMs,
  });
  const { url, webSockets } = await serveRoutes(t, routes, implementation);
  const client = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`);
  cleanUp(t, () => client.terminate());
  const messages: object[] = [];
  client.on('message', (data) => messages.push(JSON.parse(data.toString())));
  client.on('error', () => undefined);
  await once(client, 'open');
  return { client, memoryBudget, messages, webSockets };
}

function create(fields: object = {}): string {
  return JSON.stringify({ type: 'response.create', model: 'demo-1', input: 'x', ...fields });
}

test('hostile messages are answered, and the WebSocket goes on', async () => {
  const seed = Math.floor(Date.now() / 86_400_000);
  assert.ok((await fuzzCallSockets({ seed, ms: 1000 })) > 0, `seed ${seed}`);
});

for (const implementation of httpImplementations) {
  const name = (text: string) => `${implementation}: ${text}`;

  test(name('a WebSocket ends after its life, when its calls have ended'), async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const { client, messages } = await connect(t, implementation, {
      async call(...given) {
        started.resolve();
        await released.promise;
        await answerAtOnce(...given);
      },
    });
    client.send(create(), {});
    await started.promise;
    t.mock.timers.tick(lifeMs);
    client.send(create({ stream_id: 'late' }), {});
    await once(client, 'message');
    const code = 'websocket_connection_limit_reached';
    assert.partialDeepStrictEqual(messages[0], { status: 400, stream_id: 'late', error: { code } });
    released.resolve();
    const [closeCode] = await once(client, 'close');
    assert.equal(closeCode, 1001);
    assert.deepEqual(
      messages.slice(1).map((message) => [at(message, 'type'), at(message, 'error', 'code')]),
      [
        ['response.completed', undefined],
        ['error', code],
      ],
    );
  });

  test(name('a WebSocket has a limited number of calls'), async (t) => {
    const released = Promise.withResolvers<void>();
    const { client, messages } = await connect(t, implementation, {
      async call(...given) {
        await released.promise;
        await answerAtOnce(...given);
      },
    });
    const { callsMax } = limits.callSocket;
    for (let call = 0; call <= callsMax; call++) client.send(create({ stream_id: `${call % 3}` }), {});
    await eventually(() => (messages.length === 1 ? true : undefined));
    assert.equal(at(messages[0], 'error', 'code'), 'concurrency_limit');
    released.resolve();
    await eventually(() => (messages.length === callsMax + 1 ? true : undefined));
    client.send(create(), {});
    await eventually(() => (messages.length === callsMax + 2 ? true : undefined));
  });

  test(
    name('messages count towards the memory for requests, and so do turns that are continued'),
    async (t) => {
      const { client, memoryBudget, messages } = await connect(t, implementation, { bytesMax: 4 * mebibyte });
      const input = 'x'.repeat(mebibyte);
      client.send(create({ store: false, input }), {});
      await eventually(() => (messages.length === 1 ? true : undefined));
      await eventually(() => (memoryBudget.bytes < 1.5 * mebibyte ? true : undefined));
      assert.ok(memoryBudget.bytes > mebibyte, `${memoryBudget.bytes} bytes of the turn`);
      client.send('x'.repeat(8 * mebibyte), {});
      const [code] = await once(client, 'close');
      assert.equal(code, 1013);
      assert.equal(at(messages.at(-1), 'error', 'code'), 'busy');
      client.terminate();
      await eventually(() => (memoryBudget.bytes === 0 ? true : undefined));
    },
  );

  test(name('a client that reads nothing holds its call up, and ends it when it leaves'), async (t) => {
    let written = 0;
    const ended = Promise.withResolvers<boolean>();
    const { client, webSockets } = await connect(t, implementation, {
      async call(_, res) {
        const line = event('response.output_text.delta', { delta: 'x'.repeat(64 * 1024) });
        res.writeHead(200, []);
        while (!res.isClosed) {
          written += line.length;
          if (!res.write(line)) await res.waitForDrain();
          await new Promise((resolve) => setImmediate(resolve));
        }
        ended.resolve(true);
      },
    });
    client.pause();
    client.send(create(), {});
    let before = -1;
    await eventually(() => {
      if (written > 0 && written === before) return true;
      before = written;
      return undefined;
    });
    assert.ok(written < 32 * mebibyte, `${written} bytes`);
    client.terminate();
    assert.ok(await ended.promise);
    await eventually(() => (webSockets.size === 0 ? true : undefined));
  });

  test(name('a response that breaks off is an error of its own lane'), async (t) => {
    const { client, messages } = await connect(t, implementation, {
      async call(req, res) {
        const body = (await readBody(req, { bytesMax: mebibyte })).toString();
        res.writeHead(200, []).write(event('response.created'));
        if (body.includes('break')) res.destroy();
        else res.end(event('response.completed'));
      },
    });
    client.send(create({ stream_id: 'a', input: 'break' }), {});
    client.send(create({ stream_id: 'b' }), {});
    await eventually(() =>
      messages.some((message) => at(message, 'type') === 'response.completed') ? true : undefined,
    );
    const error = messages.find((message) => at(message, 'type') === 'error');
    assert.deepEqual([at(error, 'stream_id'), at(error, 'error', 'code')], ['a', 'upstream_broken']);
  });
}
