// What a real collector accepts of the gateway's exports, and sends on: run by scripts/test-collector.ts.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { call } from '../support/call.ts';
import { cleanUp } from '../support/clean-up.ts';
import { eventually } from '../support/eventually.ts';
import { messages, requestIn } from '../support/formats.ts';
import { metricsIn, spansIn } from '../support/otlp.ts';
import { startScriptedGateway } from '../support/scripted-gateway.ts';
import { emptyFolder } from '../support/weir-process.ts';

for (const [protocol, compression] of [
  ['http/protobuf', 'none'],
  ['http/protobuf', 'gzip'],
  ['http/json', 'gzip'],
] as const)
  test(`a collector takes every span and metric, as ${protocol} with ${compression}`, async (t) => {
    const behind = await FakeUpstream.start({ status: 200 });
    cleanUp(t, () => behind.close());
    const port = await freePort();
    const folder = emptyFolder(t);
    const configuration = join(folder, 'collector.yaml');
    const receiver = { protocols: { http: { endpoint: `127.0.0.1:${port}` } } };
    const exporter = {
      endpoint: behind.url,
      encoding: 'json',
      compression: 'none',
      sending_queue: { enabled: false },
    };
    const pipeline = { receivers: ['otlp'], exporters: ['otlp_http'] };
    writeFileSync(
      configuration,
      JSON.stringify({
        receivers: { otlp: receiver },
        exporters: { otlp_http: exporter },
        service: {
          telemetry: { metrics: { level: 'none' } },
          pipelines: { traces: pipeline, metrics: pipeline },
        },
      }),
    );
    const collector = spawn(String(process.env.OTELCOL), ['--config', configuration], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cleanUp(t, () => end(collector));
    let said = '';
    collector.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await eventually(() => (/Everything is ready/.test(said) ? true : undefined));
    const { fake, weir } = await startScriptedGateway(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      WEIR_RECORD: 'all',
    });
    fake.answerWith({ body: messages.whole('Grüße aus 東京') });
    const calls = 40;
    for (let number = 0; number < calls; number++)
      await call(weir.url, {
        path: messages.path,
        body: {
          ...requestIn(messages, false),
          messages: [{ role: 'user', content: `${number} ${'ü'.repeat(number * 50)}` }],
        },
        headers: ['x-weir-pipeline', 'exact-cache,guardrails', 'x-weir-tags', `turn=${number}`],
      });
    await weir.close();
    const spans = spansIn(behind.requests);
    assert.equal(spans.length, calls * 4, 'the call, two modules and an attempt');
    assert.deepEqual(
      spans.flatMap(({ attributes }) => attributes['weir.tag.turn'] ?? []),
      Array.from({ length: calls }, (_, number) => String(number)),
    );
    const contents = spans.flatMap(({ attributes }) => attributes['gen_ai.input.messages'] ?? []);
    assert.equal(contents.length, calls);
    for (const [number, json] of contents.entries())
      assert.deepEqual(JSON.parse(String(json)), [
        { role: 'user', parts: [{ type: 'text', content: `${number} ${'ü'.repeat(number * 50)}` }] },
      ]);
    const input = metricsIn(behind.requests).get('gen_ai.client.inference.usage.input_tokens');
    assert.ok(Number(input?.sum?.dataPoints[0]?.asInt) > 0);
    assert.doesNotMatch(said, /\t(?:error|warn)\t/);
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
