import type { KeyRing } from '../accounts/key-ring.ts';
import type { ProviderVault } from '../accounts/provider-keys.ts';
import type { Quota } from '../billing/quota.ts';
import type { Spending } from '../billing/spending.ts';
import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { limits } from '../kernel/limits.ts';
import type { Pipelines } from '../kernel/pipeline.ts';
import type { Directory } from '../providers/directory.ts';
import type { Inference } from '../server/inference.ts';
import type { Log } from '../telemetry/log.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';

interface Watched {
  readonly inference: Inference;
  readonly requests: RequestRecorder;
  readonly log: Log;
  readonly spending: Spending;
  readonly usage: UsageRecorder;
  /** Undefined, like the keys, where calls are nobody's but the user's own. */
  readonly quota: Quota | undefined;
  readonly keys: KeyRing | undefined;
  readonly vault: ProviderVault;
  readonly pipelines: Pipelines;
  readonly directory: Directory;
}

/** How full everything is that could fill up, and how far it may. */
export function gaugesOf(watched: Watched): readonly Gauge[] {
  const { inference, requests, log, spending, usage, quota, keys, vault, pipelines, directory } = watched;
  return [
    gauge('weir_open_calls', 'Calls that have not ended', () => inference.openCalls),
    gauge(
      'weir_log_rows_waiting',
      `Calls that are not in the request log yet, of ${limits.requestLogRowsWaiting}`,
      () => requests.waiting,
    ),
    gauge('weir_log_rows_dropped', 'Calls that were left out of the request log', () => requests.dropped),
    gauge(
      'weir_log_lines_lost',
      `Log lines that nobody read before ${limits.logLinesBytesWaiting} bytes of them waited`,
      () => log.lost,
    ),
    gauge('weir_open_holds', 'Sums that are held for calls', () => spending.open),
    gauge(
      'weir_usage_sums_waiting',
      `Sums of usage that are not stored yet, of ${limits.usageSumsMax}`,
      () => usage.waitingSums,
    ),
    gauge(
      'weir_usage_failed_rounds',
      'Tries to store usage that failed since the last that did not',
      () => usage.failedRounds,
    ),
    gauge(
      'weir_pipelines_kept',
      `Pipelines that are kept compiled, of ${limits.compiledPipelinesMax}`,
      () => pipelines.kept,
    ),
    gauge(
      'weir_model_names_remembered',
      `Names of models whose provider is remembered, of ${limits.compiledPipelinesMax}`,
      () => directory.remembered,
    ),
    gauge(
      'weir_provider_keys_open',
      `Stored provider keys that are kept open, of ${limits.openedKeysKept}`,
      () => vault.openKeys,
    ),
    ...(keys === undefined ? [] : keyGauges(keys)),
    ...(quota === undefined ? [] : quotaGauges(quota)),
  ];
}

function keyGauges(keys: KeyRing): readonly Gauge[] {
  return [
    gauge(
      'weir_api_keys_remembered',
      `API keys whose holder is remembered, of ${limits.keyLookupsKept}`,
      () => keys.remembered.keys,
    ),
    gauge(
      'weir_api_key_misses_remembered',
      `Tokens that are remembered to be no API key, of ${limits.keyMissesKept}`,
      () => keys.remembered.misses,
    ),
  ];
}

function quotaGauges(quota: Quota): readonly Gauge[] {
  return [
    gauge('weir_quota_open', 'Counted calls that have not ended', () => quota.open),
    gauge(
      'weir_quota_not_given_back',
      'Failed calls that stayed counted because the store could not be told',
      () => quota.notGivenBack,
    ),
  ];
}

function gauge(name: string, help: string, read: () => number): Gauge {
  return { name, help, read };
}
