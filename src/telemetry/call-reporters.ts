import { rawHeadersOf } from '../kernel/client-request.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { isSampled } from '../kernel/trace-parent.ts';
import type { CallReporter } from './call-reporter.ts';
import { clientRequestIdOf } from './client-request-id.ts';
import type { EndedCall } from './ended-call.ts';
import type { Log } from './log.ts';
import type { LogSink } from './log-sinks/log-sink.ts';
import type { Metrics } from './metrics.ts';
import type { RequestRecorder } from './request-log/request-recorder.ts';

export function createRequestLogReporter(requests: Pick<RequestRecorder, 'record'>): CallReporter {
  return {
    name: 'request-log',
    report: (call) => requests.record(call),
    reportRejected: (call) => requests.record(call),
  };
}

/** Sends calls to other systems; those in an airgap are only written to files. */
export function createSinkReporter(sinks: readonly Pick<LogSink, 'record' | 'isLocal'>[]): CallReporter {
  const record = (call: EndedCall, isAirgapped: boolean) => {
    for (const sink of sinks) if (sink.isLocal || !isAirgapped) sink.record(call);
  };
  return {
    name: 'log-sinks',
    report: (call, { exchange }) => record(call, exchange.trace.isAirgapped),
    reportRejected: (call, { isAirgapped }) => record(call, isAirgapped),
  };
}

export function createMetricsReporter(metrics: Pick<Metrics, 'record'>): CallReporter {
  return {
    name: 'metrics',
    report: (call, { exchange }) => metrics.record(call, exchange.trace.attempts, sampledTraceIdOf(exchange)),
  };
}

/** Traces that are not sampled can't be looked at. */
function sampledTraceIdOf({ trace, clientRequest: { traceParent } }: Exchange): string | undefined {
  if (trace.span !== undefined) return trace.span.traceId;
  return traceParent !== undefined && isSampled(traceParent) ? traceParent.traceId : undefined;
}

/** Writes a line for each call, and one for each fault. */
export function createLogReporter(log: Pick<Log, 'error' | 'call' | 'logsCalls'>): CallReporter {
  return {
    name: 'log',
    report(call, { exchange, error, estimated, faults }) {
      const { id, steps } = call;
      for (const { fault, module } of steps)
        if (fault !== undefined) log.error({ id, module, fault }, 'module failed');
      for (const fault of faults) log.error({ id, err: fault }, 'a reply observer failed');
      if (!log.logsCalls) return;
      const { clientRequest } = exchange;
      log.call(call, {
        error,
        estimated,
        traceId: exchange.trace.span?.traceId ?? clientRequest.traceParent?.traceId,
        clientRequestId: clientRequestIdOf(rawHeadersOf(clientRequest)),
        isOverWebSocket: clientRequest.socket !== undefined,
      });
    },
  };
}
