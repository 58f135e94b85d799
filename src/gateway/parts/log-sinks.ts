import type { Egress } from '../../egress/egress.ts';
import type { LogReader } from '../../kernel/ports/request-log.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { ClickHouseHistory } from '../../telemetry/log-history/clickhouse-history.ts';
import { connectToClickHouse, createClickHouseTarget } from '../../telemetry/log-sinks/clickhouse.ts';
import { LogFolder } from '../../telemetry/log-sinks/log-folder.ts';
import { LogSink, type SinkTarget } from '../../telemetry/log-sinks/log-sink.ts';
import { createS3Target } from '../../telemetry/log-sinks/s3.ts';
import { createJournal } from '../create-journal.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

interface LogSinksPart extends Part {
  /** Where the calls are that the request log no longer has. */
  readonly history: LogReader | undefined;
  readonly sinks: readonly LogSink[];
}

interface LogSinksParts {
  readonly settings: Settings;
  readonly egress: Egress;
  readonly log: Log;
}

/** Other systems that get every call: ClickHouse, object stores and files. */
export async function logSinksPart({ settings, egress, log }: LogSinksParts): Promise<LogSinksPart> {
  const { logFolder } = settings;
  // Calls for a server that may not be reached would only fill memory and disk.
  const { clickHouse, s3 } = settings.isAirgapped ? noServers : settings;
  const opened: { readonly name: string; readonly sink: LogSink }[] = [];
  const open = (name: string, target: SinkTarget) => {
    const sink = new LogSink({
      target,
      // Without a delay: a kill must not lose calls.
      journal: createJournal({ settings, log, name: `sink-${name}`, delayMs: 0 }),
      onError: (err) => log.error({ err }, `could not send calls to ${target.name}; will retry`),
      onDrop: () => log.error({}, `calls for ${target.name} are dropped`),
    });
    opened.push({ name, sink });
  };
  const postToClickHouse = clickHouse && connectToClickHouse(clickHouse, fetchFor(egress, clickHouse.url));
  if (clickHouse !== undefined && postToClickHouse !== undefined)
    open('clickhouse', createClickHouseTarget(clickHouse.table, postToClickHouse));
  if (s3 !== undefined) open('s3', createS3Target(s3, fetchFor(egress, s3.url)));
  if (logFolder !== undefined)
    open(
      'folder',
      new LogFolder(logFolder, systemClock, (err) =>
        log.error({ err }, 'could not compress or delete log files'),
      ),
    );
  await Promise.all(opened.map(({ sink }) => sink.recover()));
  const read = (figure: 'waiting' | 'dropped') => () =>
    opened.map(({ name, sink }) => ({ labels: { sink: name }, value: sink[figure] }));
  const gauges = [
    {
      name: 'weir_log_sink_rows_waiting',
      help: 'Calls waiting to be sent to another system',
      read: read('waiting'),
    },
    {
      name: 'weir_log_sink_rows_dropped_total',
      help: 'Calls dropped before they were sent to another system',
      read: read('dropped'),
    },
  ];
  return {
    history:
      clickHouse?.isHistory === true && postToClickHouse !== undefined
        ? new ClickHouseHistory(clickHouse.table, postToClickHouse)
        : undefined,
    sinks: opened.map(({ sink }) => sink),
    gauges: opened.length === 0 ? [] : gauges,
    async close(untilMs) {
      const flushed = await Promise.all(opened.map(({ sink }) => sink.flush(untilMs - performance.now())));
      if (flushed.includes(false)) log.error({}, 'some calls could not be sent to another system');
    },
  };
}

const noServers = { clickHouse: undefined, s3: undefined } as const;

/** Only to the address that the operator set, which may be private. */
function fetchFor(egress: Egress, url: string) {
  const { origin } = new URL(url);
  return egress.openFetch({
    purpose: 'request-log',
    reachOf: (other) => (other === origin ? 'any' : undefined),
  });
}
