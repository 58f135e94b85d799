import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { createZstdCompress, type ZstdCompress } from 'node:zlib';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { formatAt, messages } from './support/formats.ts';
import { shareGatewaysWithHandler } from './support/scripted-gateway.ts';

const play = shareGatewaysWithHandler();
const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream' };
const text = 'x'.repeat(256 * 1024);
/** No answer that is read may be larger. */
const boundBytes = 32 * 1024 * 1024;
const question = [{ role: 'user', content: 'Hi' }];

/** Requests in another format than the provider's, so that its answer is translated. */
const clients = {
  chat: { path: '/v1/chat/completions', body: { model: messages.model, messages: question } },
  responses: { path: '/v1/responses', body: { model: messages.model, input: 'Hi' } },
};

interface Endless {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** Sent once. */
  readonly start: string;
  /** Sent again and again. */
  readonly more: string;
  readonly streamed: boolean;
  readonly client?: keyof typeof clients;
  readonly packed?: () => ZstdCompress;
}

const delta = `event: content_block_delta\ndata: ${JSON.stringify({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})}\n\n`;
const blockStart = `event: content_block_start\ndata: ${JSON.stringify({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
})}\n\n`;
const beginning = messages.start.join('') + blockStart;
const wholeStart = JSON.stringify(messages.whole('')).replace(/("text":").*/, '$1');

const cases: readonly Endless[] = [
  { name: 'an unstreamed answer', headers: json, start: wholeStart, more: text, streamed: false },
  { name: 'an answer of blanks', headers: json, start: '{', more: ' '.repeat(65536), streamed: false },
  {
    name: 'an unstreamed answer in zstd',
    headers: { ...json, 'content-encoding': 'zstd' },
    start: wholeStart,
    more: text,
    streamed: false,
    packed: createZstdCompress,
  },
  { name: 'JSON in place of a stream', headers: json, start: wholeStart, more: text, streamed: true },
  { name: 'a stream in place of JSON', headers: sse, start: beginning, more: delta, streamed: false },
  {
    name: 'a stream whose content is repeated at its end',
    headers: sse,
    start: beginning,
    more: delta,
    streamed: true,
    client: 'responses',
  },
  {
    name: 'a frame of data lines without a colon',
    headers: sse,
    start: beginning,
    more: 'data\n'.repeat(20_000),
    streamed: true,
  },
  { name: 'a line that never ends', headers: sse, start: beginning, more: text, streamed: true },
];

describe('a provider that never ends', () => {
  for (const endless of cases)
    test(`${endless.name} is given up at a bound, with an error in the client's format`, async () => {
      const upstream = provider(endless);
      const weir = await play(upstream.serve);
      const { path, body } = clients[endless.client ?? 'chat'];
      const answer = await call(weir.url, { path, body: { ...body, stream: endless.streamed } });
      assert.match(answer.text, /the provider (?:response is larger|sent a frame of more) than \d+ bytes/);
      assertRefused(answer, endless.streamed);
      const wasSentWhole = await upstream.closed;
      const sent = upstream.sentBytes();
      // What is packed is small, and has come before anybody knows how large it is.
      if (endless.packed === undefined) assert.ok(!wasSentWhole && sent < boundBytes * 2, `${sent} bytes`);
      await eventually(() => (/^weir_open_calls 0$/m.test(weir.gateway.metrics()) ? true : undefined));
    });
});

function assertRefused({ status, json: said, text: body }: RawAnswer, hasBegun: boolean): void {
  assert.equal(status, hasBegun ? 200 : 502, body.slice(-500));
  if (hasBegun) assert.match(body, /"error":/);
  else assert.equal(at(said, 'error', 'type'), formatAt('/v1/chat/completions').errorTypes[502]);
}

/** Sends as fast as it is read, until nobody reads. */
function provider({ headers, start, more, packed }: Endless) {
  let sent = 0;
  const { promise: closed, resolve } = Promise.withResolvers<boolean>();
  const serve: RequestListener = (req, res) => {
    req.resume();
    res.writeHead(200, headers);
    res.on('close', () => resolve(res.writableFinished));
    function* pieces() {
      yield start;
      // Far beyond every bound: a gateway without one fails the test, and does not take the machine along.
      while (sent < boundBytes * 4) {
        sent += more.length;
        yield more;
      }
    }
    const source = Readable.from(pieces());
    res.on('close', () => source.destroy());
    const written = packed === undefined ? source : source.pipe(packed());
    written.pipe(res);
  };
  return { serve, closed, sentBytes: () => sent };
}
