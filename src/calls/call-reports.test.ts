import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { Trace } from '../kernel/trace.ts';
import { demo } from '../providers/demo/demo.ts';
import type { CallReporter } from '../telemetry/call-reporter.ts';
import { limits } from '../telemetry/limits.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { ReporterFaults } from '../telemetry/reporter-faults.ts';
import { openaiChat } from '../wire/index.ts';
import { CallReports } from './call-reports.ts';
import { CallSettlement } from './call-settlement.ts';
import { InFlightCall } from './in-flight-call.ts';

const broken: CallReporter = {
  name: 'broken',
  report() {
    throw new Error('oops');
  },
  reportRejected() {
    throw new Error('oops');
  },
};

test('a reporter that fails is counted, and the others get the call', () => {
  const { reports, received, metrics } = setUp();
  const calls = [endedCall('req_1'), endedCall('req_2')];
  for (const call of calls) reports.add(call);
  reports.flush();
  assert.deepEqual(received, ['report req_1', 'report req_2']);
  assert.match(metrics.render(), /weir_reporter_faults_total\{reporter="broken"\} 2\n/);
});

test('rejected calls go to the reporters that take them', () => {
  const { reports, received } = setUp();
  reports.addRejected({
    id: 'req_1',
    identity: {
      caller: { kind: 'local' },
      accountId: 'local',
      pipelineConfig: null,
      key: undefined,
      session: undefined,
    },
    clientRequest: clientRequest(),
    tags: {},
    isAirgapped: false,
    startedAtMs: 0,
    thrown: new GatewayError('busy', 'no more'),
  });
  assert.deepEqual(received, ['rejected req_1 busy']);
});

test('the faults of a reporter are logged once a minute', () => {
  const { reports, clock, logged } = setUp();
  const failOnce = () => {
    reports.add(endedCall('req_1'));
    reports.flush();
    return logged.length;
  };
  assert.deepEqual([failOnce(), failOnce()], [1, 1]);
  clock.move(limits.reporterFaultLogMs);
  assert.deepEqual([failOnce(), failOnce()], [2, 2]);
  assert.partialDeepStrictEqual(logged[0], { reporter: 'broken' });
});

function setUp() {
  const received: string[] = [];
  const logged: object[] = [];
  const log = { error: (facts: object) => void logged.push(facts) };
  const metrics = new Metrics();
  const clock = new ManualClock();
  const last: CallReporter = {
    name: 'last',
    report: ({ id }) => void received.push(`report ${id}`),
    reportRejected: ({ id, errorCode }) => void received.push(`rejected ${id} ${errorCode}`),
  };
  const unaware: CallReporter = { name: 'unaware', report: () => undefined };
  const reporters = [broken, unaware, last];
  const faults = new ReporterFaults({ reporters, metrics, log, clock });
  const reports = new CallReports({
    reporters,
    settlement: new CallSettlement(log),
    onFault: (reporter, fault) => faults.record(reporter, fault),
  });
  return { reports, received, logged, metrics, clock };
}

function endedCall(id: string): Parameters<CallReports['add']>[0] {
  const exchange = new Exchange({
    id,
    clientRequest: clientRequest(),
    caller: { kind: 'local' },
    target: { provider: demo, model: 'demo-1' },
    presence: new ClientPresence(),
    trace: new Trace(0),
    credentials: { find: async () => undefined },
  });
  const call = new InFlightCall(exchange, () => undefined);
  return { call, ending: { how: 'complete' }, status: 200, pipeline: 'none', ms: 1 };
}

function clientRequest(): ClientRequest {
  const fields = LazyJsonObject.of(Buffer.from('{"model":"demo-1"}'));
  return new ClientRequest({ wire: openaiChat, fields, headers: [], query: '' });
}
