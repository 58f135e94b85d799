import { availableParallelism, freemem, totalmem } from 'node:os';
import { version } from '../gateway/version.ts';
import { Secret } from '../lib/secret.ts';
import type { RunningGateway } from './control-handlers.ts';

/** The state of a gateway process for support requests, without secrets or content. */
export function buildDiagnosis({ settings, log, gateway }: RunningGateway): object {
  const { node, v8, uv, openssl, sqlite } = process.versions;
  return {
    at: new Date().toISOString(),
    versions: {
      weir: version,
      revision: settings.revision,
      ...{ node, v8, uv, openssl, sqlite },
      platform: `${process.platform} ${process.arch}`,
    },
    machine: { cores: availableParallelism(), memoryBytes: totalmem(), freeMemoryBytes: freemem() },
    process: {
      id: process.pid,
      uptimeSeconds: Math.round(process.uptime()),
      memoryBytes: process.memoryUsage(),
      /** Sockets, timers and pending threads. */
      resources: countByName(process.getActiveResourcesInfo()),
    },
    log: { level: log.level, linesLost: log.lost },
    providers: gateway.readyProviders,
    settings: redactSettings({ ...settings, rest: undefined }),
    figures: parseMetrics(gateway.metrics()),
  };
}

/** A setting's value; for a secret, only whether it is set. */
function redactSettings(value: unknown): unknown {
  if (value instanceof Secret) return 'set';
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, each]) => [name, redactSettings(each)]));
  if (Array.isArray(value)) return value.map(redactSettings);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactSettings(each)]));
}

/** Reduces URLs to their host and pipelines to module names, since options may hold secrets. */
function withoutSecrets(text: string): string {
  const url = URL.parse(text);
  if (url !== null && url.host !== '') return `${url.protocol}//${url.host}`;
  return text.replace(/\?[^,]*/g, '?…');
}

function countByName(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The metrics without labels, which name models. */
function parseMetrics(metrics: string): Readonly<Record<string, number>> {
  const samples = metrics
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('{'))
    .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]);
  return Object.fromEntries(samples);
}
