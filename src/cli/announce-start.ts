import type { Settings } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import type { LineSink } from '../telemetry/log.ts';
import { formatLogLine } from '../telemetry/log-line.ts';
import { banner, type StartedGateway, startWarnings } from './banner.ts';

/** Writes the banner to a terminal; programs that read the output get log lines, whatever the log level is. */
export function announceStart(started: StartedGateway, settings: Settings, log: LineSink): void {
  const lines = startLines(started, settings);
  write(process.stdout.isTTY ? `${banner(started, settings)}\n` : lines, lines, settings, log);
}

/** Writes that the processes were replaced by new ones. */
export function announceReload(started: StartedGateway, settings: Settings, log: LineSink): void {
  const line = startLine(started, settings, 'Weir has reloaded');
  const text = `Weir has reloaded and is listening on ${started.url}, ${settings.workers} processes\n`;
  write(process.stdout.isTTY ? text : line, line, settings, log);
}

/** A log in a file gets the lines besides standard output. */
function write(output: string, lines: string, { logFile }: Settings, log: LineSink): void {
  if (logFile === undefined) log.write(output);
  else {
    process.stdout.write(output);
    log.write(lines);
  }
}

/** The warnings, then the start. */
function startLines(started: StartedGateway, settings: Settings): string {
  const time = new Date().toISOString();
  return [
    ...startWarnings(started, settings).map((message) =>
      formatLogLine('warn', time, { attributes: {}, message }),
    ),
    startLine(started, settings, 'Weir is listening'),
  ].join('');
}

function startLine(
  { url, pipeline, readyProviders }: StartedGateway,
  { mode, workers, revision }: Settings,
  message: string,
): string {
  const attributes = {
    url,
    mode,
    pipeline,
    providers: readyProviders,
    processes: workers,
    version,
    revision,
  };
  return formatLogLine('info', new Date().toISOString(), { attributes, message });
}
