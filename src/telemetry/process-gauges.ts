import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A value that is read when the metrics are scraped. One whose name ends with `_total` is a counter. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | readonly GaugeSample[];
}

/** A value with labels. */
export interface GaugeSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const tickMs = 20;

/** Metrics of the process itself. */
export function processGauges(): readonly Gauge[] {
  const delay = monitorEventLoopDelay({ resolution: tickMs });
  delay.enable();
  // The histogram includes the interval of its own timer.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - tickMs / 1000);
  return [
    {
      name: 'nodejs_eventloop_lag_p50_seconds',
      help: 'Median event loop lag since the last reading',
      read: () => seconds(delay.percentile(50)),
    },
    {
      name: 'nodejs_eventloop_lag_p99_seconds',
      help: '99th percentile of event loop lag since the last reading',
      read: () => seconds(delay.percentile(99)),
    },
    {
      name: 'nodejs_eventloop_lag_max_seconds',
      help: 'Longest event loop lag since the last reading',
      read() {
        const longest = seconds(delay.max);
        // Values cover the time between two scrapes; this is the last of the three reads.
        delay.reset();
        return longest;
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process',
      read: () => process.memoryUsage.rss(),
    },
    { name: 'nodejs_heap_used_bytes', help: 'Heap in use', read: () => process.memoryUsage().heapUsed },
    { name: 'process_cpu_seconds_total', help: 'CPU time, user and system', read: () => cpuSeconds() },
    { name: 'process_uptime_seconds', help: 'Time since the process started', read: () => process.uptime() },
  ];
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
