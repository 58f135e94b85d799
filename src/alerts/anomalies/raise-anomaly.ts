import { formatUsd } from '../../kernel/money.ts';
import type { Alerts } from '../../kernel/ports/alerts.ts';
import { limits } from '../limits.ts';
import { quoteName, timeText } from '../texts.ts';
import type { Measure } from './activity.ts';
import { windowMs } from './deviation.ts';
import type { Driver } from './explain.ts';
import type { Finding } from './key-watch.ts';

interface Anomaly {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly finding: Finding;
  readonly drivers: readonly Driver[];
  readonly atMs: number;
}

const subjects: Readonly<Record<Measure, string>> = {
  spend: 'Spend',
  errors: 'The share of failed calls',
  cache_hits: 'The share of calls that a cache answers',
  prompt_cache: 'The share of prompts that providers read from their caches',
};

const advice: Readonly<Record<Measure, string>> = {
  spend:
    'The page Requests shows the calls. A ceiling with cost-guard limits what the key can spend; a key that is used by somebody else should be revoked.',
  errors: 'The page Requests shows the errors.',
  cache_hits: 'The page Requests shows the calls; a changed prompt or parameter makes other entries.',
  prompt_cache:
    'Calls cost more without it. A value that changes at the start of the prompt, such as a time, is the usual cause.',
};

/** A measure of a key began or ceased to be unusual. */
export function raiseAnomaly(
  alerts: Alerts,
  { accountId, keyId, keyName, finding, drivers, atMs }: Anomaly,
): void {
  const { measure, kind, incident, value, expected } = finding;
  const of = `${subjects[measure]} of ${keyId === '' ? 'calls without an API key' : `API key ${quoteName(keyName)}`}`;
  const since = timeText(incident.sinceMs);
  const minutes = windowMs / 60_000;
  const comparison = `${amountText(measure, value)} in the last ${minutes} minutes, ${amountText(measure, expected)} expected`;
  const message =
    kind === 'detected'
      ? `${of} is unusual since ${since}: ${comparison}. ${driversText(drivers)}${advice[measure]}`
      : `${of} is as usual again since ${timeText(incident.lastMs)}; it was unusual since ${since}. Nothing needs to be done.`;
  alerts.raise({
    accountId,
    event: kind === 'detected' ? 'anomaly.detected' : 'anomaly.ended',
    key: `${keyId}/${measure}/${incident.startedMs}`,
    message,
    data: {
      measure,
      key_id: keyId === '' ? null : keyId,
      key_name: keyName.slice(0, limits.nameCharactersMax),
      since: new Date(incident.sinceMs).toISOString(),
      ...(kind === 'detected'
        ? {
            window_minutes: minutes,
            value: amountOf(measure, value),
            expected: amountOf(measure, expected),
            unit: measure === 'spend' ? 'usd' : 'share',
            drivers: drivers.map(({ kind, name, share }) => ({
              kind,
              name: name.slice(0, limits.nameCharactersMax),
              share: Number(share.toFixed(2)),
            })),
          }
        : { ended_at: new Date(Math.min(incident.lastMs, atMs)).toISOString() }),
    },
  });
}

function amountOf(measure: Measure, amount: number): number {
  return Number((measure === 'spend' ? amount / 1e9 : amount).toPrecision(4));
}

function amountText(measure: Measure, amount: number): string {
  if (measure === 'spend') return `${formatUsd(Math.round(amount / 10_000_000) * 10_000_000)} USD`;
  const percent = amount * 100;
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** `Most of the change comes from model "gpt-5" (92 %) and client "cron" (100 %). ` */
function driversText(drivers: readonly Driver[]): string {
  if (drivers.length === 0) return '';
  const names = drivers.map(
    ({ kind, name, share }) => `${kind} ${quoteName(name)} (${Math.round(share * 100)} %)`,
  );
  const last = names.pop() ?? '';
  return `Most of the change comes from ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}. `;
}
