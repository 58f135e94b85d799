import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { limits } from '../src/providers/limits.ts';
import type { FakeUpstream, Script } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { brokenCall, call, openCall, StreamReader } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { formatAt, formats, pathOf, requestSentIn, streamIn, type TestedFormat } from './support/formats.ts';
import { shareGatewaysWithHandler, shareScriptedGateways } from './support/scripted-gateway.ts';

const enter = shareScriptedGateways();
const play = shareGatewaysWithHandler();

const retrying = {
  WEIR_MODULES: fileURLToPath(import.meta.resolve('./support/retry-once.ts')),
  WEIR_PIPELINE: 'retry-once',
};

for (const format of formats) {
  for (const { what, script } of failuresBeforeContent(format)) {
    test(`a module can make a call again after ${what} (${format.name})`, async () => {
      const { fake, weir } = await enter(retrying);
      const good = streamIn(format, 'At', ' last');
      answerInTurn(fake, script, { chunks: [good], headers: { 'request-id': 'the second' } });
      const answer = await call(weir.url, requestSentIn(format, true));
      assert.equal(answer.status, 200);
      assert.equal(answer.text, good);
      assert.equal(answer.headers['request-id'], 'the second');
      assert.match(String(answer.headers['x-weir-modules']), /^retry-once;again;because=upstream_/);
      assert.equal(fake.requests.length, 2);
      assert.deepEqual(fake.requests[0]?.bytes, fake.requests[1]?.bytes);
    });
  }

  for (const { what, bytes, script } of errorsBeforeContent(format)) {
    test(`where no module steps in, the client gets ${what} as it came (${format.name})`, async () => {
      const { fake, weir } = await enter();
      answerInTurn(fake, { ...script, headers: { 'request-id': 'req_upstream', 'x-brand-new': 'kept' } });
      const answer = await call(weir.url, requestSentIn(format, true));
      assert.equal(answer.status, 200);
      assert.equal(answer.text, bytes);
      assert.match(answer.headers['content-type'] ?? '', /^text\/event-stream/);
      assert.equal(answer.headers['request-id'], 'req_upstream');
      assert.equal(answer.headers['x-brand-new'], 'kept');
      assert.equal(fake.requests.length, 1);
    });
  }

  test(`after the first content an error event is passed on and nothing is made again (${format.name})`, async () => {
    const { fake, weir } = await enter(retrying);
    const sent = format.start.join('') + format.content('Some') + format.errorEvent;
    answerInTurn(fake, { chunks: [sent] });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(answer.text, sent);
    assert.equal(answer.headers['x-weir-modules'], undefined);
    assert.equal(fake.requests.length, 1);
  });

  test(`after the first content a cut reaches the client and nothing is made again (${format.name})`, async () => {
    const { fake, weir } = await enter(retrying);
    const sent = format.start.join('') + format.content('Some');
    answerInTurn(fake, { chunks: [sent], ending: 'cut' });
    const { text } = await brokenCall(weir.url, requestSentIn(format, true));
    assert.equal(text.startsWith(sent), true);
    assert.equal(fake.requests.length, 1);
  });

  test(`a cut before any content is a 502 where no module steps in (${format.name})`, async () => {
    const { fake, weir } = await enter();
    answerInTurn(fake, { chunks: [...format.start], ending: 'cut' });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(answer.status, 502);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[502]);
    assert.equal(fake.requests.length, 1);
  });

  test(`a stream that says much without beginning goes to the client (${format.name})`, async () => {
    const { fake, weir } = await enter(retrying);
    const comment = `: ${'not content '.repeat(100)}\n\n`;
    const sent = comment.repeat(Math.ceil((2 * limits.commitBytesMax) / comment.length)) + format.errorEvent;
    answerInTurn(fake, { chunks: sent.split(/(?<=\n\n)/) });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(answer.text, sent);
    assert.equal(fake.requests.length, 1);
  });
}

// The formats together, because time is all that they take.
test('a provider that leaves the connection open after its error is not waited for', async () => {
  const { fake, weir } = await enter(retrying);
  const asked = (format: TestedFormat) => fake.requests.filter(({ url }) => url === pathOf(format, true));
  fake.answerWith(({ url }) => {
    const format = formatAt(url);
    if (asked(format).length === 1) return { chunks: [format.errorEvent], ending: 'hang' };
    return { chunks: [streamIn(format, 'At last')] };
  });
  await Promise.all(
    formats.map(async (format) => {
      const answer = await call(weir.url, requestSentIn(format, true));
      assert.equal(answer.text, streamIn(format, 'At last'));
      assert.equal(await asked(format)[0]?.over, false);
    }),
  );
});

test('a stream that is silent after its headers goes to the client, and is then not made again', async () => {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  let requests = 0;
  const weir = await play(
    async ({ url }, res) => {
      requests++;
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      await mayGoOn;
      res.end(formatAt(url).errorEvent);
    },
    { ...retrying, WEIR_KEEP_ALIVE: '100ms' },
  );
  const silent = formats.map(async (format) => {
    const { response } = openCall(weir.url, requestSentIn(format, true));
    const sentAt = performance.now();
    const answer = await response;
    assert.ok(performance.now() - sentAt > limits.commitWaitMs / 2, 'it was waited for');
    assert.equal(answer.statusCode, 200);
    const reader = new StreamReader(answer);
    await eventually(() => (reader.text.includes(format.keepAlive) ? true : undefined));
    assert.equal(reader.text.replaceAll(format.keepAlive, ''), '');
    return { format, reader };
  });
  const readers = await Promise.all(silent);
  goOn();
  for (const { format, reader } of readers) {
    await eventually(() => (reader.ended ? true : undefined));
    assert.equal(reader.text.replaceAll(format.keepAlive, ''), format.errorEvent);
  }
  assert.equal(requests, formats.length);
});

interface Failure {
  readonly what: string;
  readonly script: Script;
}

/** Streams that begin with a 200 and end in an error before any content. */
function errorsBeforeContent({ start, errorEvent }: TestedFormat): readonly (Failure & { bytes: string })[] {
  const late = start.join('') + errorEvent;
  return [
    { what: 'an error in the first frame', bytes: errorEvent, script: { chunks: [errorEvent] } },
    { what: 'an error after the opening frames', bytes: late, script: { chunks: [...start, errorEvent] } },
    {
      what: 'an error that comes byte by byte',
      bytes: late,
      script: { chunks: Array.from(Buffer.from(late), (byte) => Uint8Array.of(byte)) },
    },
    {
      what: 'an error with more behind it',
      bytes: `${errorEvent}data: [DONE]\n\n`,
      script: { chunks: [errorEvent, 'data: [DONE]\n\n'] },
    },
    {
      what: 'an error at which the connection is cut',
      bytes: late,
      script: { chunks: [late], ending: 'cut' },
    },
  ];
}

function failuresBeforeContent(format: TestedFormat): readonly Failure[] {
  return [
    ...errorsBeforeContent(format),
    { what: 'a cut before any content', script: { chunks: [...format.start], ending: 'cut' } },
    { what: 'a 529', script: { status: 529, body: { type: 'error', error: { type: 'overloaded_error' } } } },
  ];
}

/** One script for each request; there must not be more requests than scripts. */
function answerInTurn(fake: FakeUpstream, ...scripts: readonly Script[]): void {
  fake.answerWith(() => scripts[fake.requests.length - 1] ?? { status: 418 });
}
