import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTraceId } from '../src/kernel/trace-parent.ts';
import { createProtobufEncoding } from '../src/telemetry/otlp/protobuf-encoding.ts';
import { NamedValues, type Span } from '../src/telemetry/otlp/span.ts';
import { SpanExporter } from '../src/telemetry/otlp/span-exporter.ts';
import { spansIn } from './support/otlp.ts';

const bytesMax = 256 * 1024;
const second = 1000;

function spanAt(startUs: number): Span {
  const attributes: Span['attributes'] = new NamedValues();
  attributes.add('http.route', '/v1/messages');
  attributes.add('weir.request.id', `req_${startUs}`);
  return {
    ...{
      traceId: createTraceId(),
      spanId: '00f067aa0ba902b7',
      parentSpanId: undefined,
      tracestate: undefined,
    },
    ...{ flags: 1, kind: 2, name: 'POST /v1/messages', similar: 'call', startUs, endUs: startUs + 1 },
    ...{ attributes, measurements: new NamedValues<number>(), error: undefined, links: [] },
  };
}

for (const { what, secondsAway, perSecond, isLost } of [
  {
    what: 'an hour of a collector that is away loses spans, counts them and keeps its memory',
    secondsAway: 3600,
    perSecond: 10,
    isLost: true,
  },
  { what: 'ten seconds lose nothing', secondsAway: 10, perSecond: 100, isLost: false },
])
  test(what, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let [isAway, attempts] = [true, 0];
    const received: Uint8Array[] = [];
    const client = {
      async send(bytes: Uint8Array) {
        attempts++;
        if (isAway) throw new Error('away');
        received.push(Buffer.from(bytes));
        return undefined;
      },
    };
    const logged: string[] = [];
    const log = (_: unknown, message: string) => void logged.push(message);
    const exporter = new SpanExporter({
      ...{ client, encoding: createProtobufEncoding({ resource: {}, version: '1' }), bytesMax },
      queue: { scheduleMs: 5 * second, spansMax: undefined, batchMax: 512 },
      log: { info: log, warn: log, error: log },
    });
    let exported = 0;
    const run = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed++) {
        for (let calls = 0; calls < perSecond; calls++) exporter.export([spanAt(++exported)]);
        t.mock.timers.tick(second);
        await new Promise(setImmediate);
      }
    };
    await run(secondsAway);
    assert.equal(exporter.waiting + exporter.dropped, exported, 'each waits or is counted');
    assert.equal(exporter.dropped > 0, isLost);
    assert.ok(exporter.waiting < bytesMax / 100, `${exporter.waiting} spans wait`);
    assert.ok(attempts <= secondsAway / 5 && attempts <= 150, `${attempts} attempts`);
    assert.ok(logged.length <= 2, logged.join());

    isAway = false;
    const [waiting, dropped] = [exporter.waiting, exporter.dropped];
    await run(61);
    assert.ok(exporter.dropped - dropped <= 30 * perSecond, 'the longest pause is 30 s');
    assert.equal(exporter.isFailing, false);
    const ids = received.flatMap((bytes) =>
      spansIn([
        {
          url: '/v1/traces',
          headers: { 'content-type': 'application/x-protobuf' },
          bytes: Buffer.from(bytes),
        },
      ]).map(({ attributes }) => Number(String(attributes['weir.request.id']).slice(4))),
    );
    assert.equal(new Set(ids).size, ids.length, 'none twice');
    assert.deepEqual(
      ids.slice(0, waiting),
      Array.from({ length: waiting }, (_, at) => at + 1),
      'the oldest, in order',
    );
    const bytes = received.reduce((sum, each) => sum + each.byteLength, 0);
    assert.ok(waiting * (bytes / ids.length) <= bytesMax + 64 * 1024, 'the queue had its limit');
    assert.ok(logged.some((line) => line.startsWith('traces are exported again')));
  });
