import type { Alert, Alerts } from '../kernel/ports/alerts.ts';
import type { HealthChange } from '../kernel/ports/health.ts';
import type { Period } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';
import { quoteName, timeText } from './texts.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A target or credential changed. */
export function raiseHealthChange(alerts: Alerts, change: HealthChange): void {
  const { accountId, kind, provider, model, hint, sinceMs, atMs } = change;
  alerts.raise({
    accountId,
    event: kind,
    ...describeChange[kind](change),
    data: {
      provider,
      model: model === '' ? null : model.slice(0, limits.nameCharactersMax),
      credential_hint: hint,
      since: new Date(kind === 'breaker.closed' ? atMs : sinceMs).toISOString(),
    },
  });
}

/** The key and the message. An unsteady target is reported once an hour, a credential once a day. */
const describeChange: Readonly<
  Record<HealthChange['kind'], (change: HealthChange) => Pick<Alert, 'key' | 'message'>>
> = {
  'breaker.opened': (change) => ({
    key: `${change.name}/${Math.floor(change.atMs / hourMs)}`,
    message: `${targetText(change)} fails since ${timeText(change.sinceMs)}: most attempts of the last minute failed. Calls with the router go to other models; others still go there. GET /v1/requests shows the errors.`,
  }),
  'breaker.closed': (change) => ({
    key: `${change.name}/${change.sinceMs}`,
    message: `${targetText(change)} answers again since ${timeText(change.atMs)}. Nothing needs to be done.`,
  }),
  'credential.failing': ({ provider, model, hint, name, sinceMs, atMs }) => {
    const key = hint === null ? 'a provider key' : `the provider key that ends with ${hint}`;
    const models = model === '' ? '' : ` for ${quoteName(model)}`;
    return {
      key: `${name}/${Math.floor(atMs / dayMs)}`,
      message: `${provider} rejects ${key}${models} since ${timeText(sinceMs)}. Calls with it fail, unless there is another key. Store a valid key under "Provider keys".`,
    };
  },
};

function targetText({ provider, model }: HealthChange): string {
  return model === '' ? provider : `${quoteName(model)} at ${provider}`;
}

/** An account has used all calls of its tier. */
export function raiseCapReached(
  alerts: Alerts,
  {
    accountId,
    limit,
    period,
  }: { readonly accountId: string; readonly limit: number; readonly period: Period },
): void {
  alerts.raise({
    accountId,
    event: 'tier.cap_reached',
    key: `${period.startMs}/${limit}`,
    message: `All ${limit} calls of the period that began at ${timeText(period.startMs)} are used. Calls are refused until ${timeText(period.endMs)}. A larger plan or credits allow more: see "Billing".`,
    data: {
      limit,
      period_start: new Date(period.startMs).toISOString(),
      resets_at: new Date(period.endMs).toISOString(),
    },
  });
}

/** An API key was revoked. */
export function raiseKeyRevoked(
  alerts: Alerts,
  key: {
    readonly accountId: string;
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly atMs: number;
  },
): void {
  const { accountId, id, name, prefix, atMs } = key;
  alerts.raise({
    accountId,
    event: 'key.revoked',
    key: id,
    message: `API key ${quoteName(name === '' ? prefix : name)} was revoked at ${timeText(atMs)}. Calls with it are rejected. If this was a mistake, create a new key; if you don't know who did it, change your password.`,
    data: { key_id: id, key_name: name, key_prefix: prefix, revoked_at: new Date(atMs).toISOString() },
  });
}
