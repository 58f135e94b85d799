import type { Attempt } from '../../kernel/attempt.ts';
import type { Caller } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type {
  BreakerState,
  CredentialHealth,
  HealthChange,
  TargetHealth,
} from '../../kernel/ports/health.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import { idOf, type Provider, type Target } from '../../kernel/provider.ts';
import type { Ending } from '../../kernel/reply/ending.ts';
import { Lru } from '../../lib/lru.ts';
import type { Secret } from '../../lib/secret.ts';
import { CredentialNames } from '../credential-names.ts';
import { limits } from '../limits.ts';
import { CredentialRecords, type NamedRecord } from './credential-records.ts';
import { alertedAccountOf, changesOf, stateOf } from './health-changes.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { SharedHealth, type SharedHealthParts } from './shared-health.ts';

export interface HealthMonitorParts extends SharedHealthParts {
  /** The key that names credentials, the same in all processes of an instance. */
  readonly nameKey: Uint8Array;
  readonly rateLimiter: RateLimiter;
  /** Called in the process whose attempt caused the change. It must not throw. */
  onChange?(change: HealthChange): void;
}

export type EndedAttempt = Pick<
  Attempt,
  'target' | 'ending' | 'startedAtMs' | 'endedAtMs' | 'firstContentAtMs'
>;

/** A target with the credential that a call to it uses. */
export interface CredentialedTarget {
  readonly target: Target;
  readonly credential: Secret | undefined;
}

/** Records the results of attempts by target and credential, and shares them with the other processes. */
export class HealthMonitor {
  readonly #parts: HealthMonitorParts;
  readonly #credentialNames: CredentialNames;
  readonly #credentials = new Lru<CredentialRecords>(limits.healthRecordsMax, ({ size }) => size);
  readonly #unhealthy = new Set<NamedRecord>();
  readonly #shared: SharedHealth;
  /** Comparing with the last record is much faster than a lookup. */
  #last: NamedRecord | undefined;
  #lastCredential: Secret | undefined;

  constructor(parts: HealthMonitorParts) {
    this.#parts = parts;
    this.#shared = new SharedHealth(parts);
    this.#credentialNames = new CredentialNames(parts.nameKey);
  }

  /** Called at the end of each attempt of a caller. Providers inside the gateway have no health. */
  add(attempt: EndedAttempt, credential: Secret | undefined, caller?: Caller): void {
    const { target, ending } = attempt;
    if (ending === undefined || target.provider.answerLocally !== undefined) return;
    const named = this.#recordOf(target, credential);
    const outcome = outcomeOf(ending);
    const nowMs = this.#parts.clock.now();
    const isProbe = outcome.kind === 'unknown' && named.record.breaker(nowMs) === 'half-open';
    if (isProbe) void this.#parts.rateLimiter.forget(probeName(named)).catch(() => undefined);
    const before = stateOf(named);
    const isUrgent = named.record.add(outcome, nowMs, contentMsOf(attempt, ending));
    if (isUrgent) this.#noteState(named);
    this.#shared.publishSoon(named, isUrgent);
    if (isUrgent || outcome.kind === 'rejected-credential' || this.#unhealthy.size > 0) {
      this.#addToCredential(named, outcome, isUrgent);
      const { onChange } = this.#parts;
      const accountId = caller && alertedAccountOf(caller);
      if (onChange !== undefined && accountId !== undefined)
        for (const change of changesOf(before, named, {
          accountId,
          credential,
          atMs: this.#parts.clock.now(),
        }))
          onChange(change);
    }
  }

  /** The provider accepted a credential in a test. */
  addAcceptance(provider: Provider, credential: Secret): void {
    const whole = this.#recordOf({ provider, model: '' }, credential);
    whole.record.acceptedAtMs = this.#parts.clock.now();
    this.#noteState(whole);
    this.#shared.publishSoon(whole, true);
    for (const named of this.#unhealthy)
      if (named.ofCredential.whole === whole) this.#acceptWith(whole, named);
  }

  /** Whether a credential that its provider rejects for all models should be tested now; less often with time, and once in all processes. */
  async mayTest(provider: Provider, credential: Secret): Promise<boolean> {
    const { rateLimiter, clock } = this.#parts;
    const { name, record } = this.#recordOf({ provider, model: '' }, credential);
    if (!record.isRejected) return false;
    const seconds = (clock.now() - record.rejectedAtMs) / 1000;
    if (seconds < limits.keyTestSecondsMin) return false;
    const pause = Math.ceil(Math.min(Math.max(seconds, limits.keyTestSecondsMin), limits.keyTestSecondsMax));
    return (await rateLimiter.count(`key test ${name}`, { most: 1, seconds: pause })) === 0;
  }

  /** The health of targets, with what other processes published in the last moments. */
  async of(credentialedTargets: readonly CredentialedTarget[]): Promise<readonly TargetHealth[]> {
    const named = credentialedTargets.map(({ target, credential }) => this.#recordOf(target, credential));
    await this.#readOthers(named);
    const nowMs = this.#parts.clock.now();
    return named.map((one) => this.#healthOf(one, nowMs));
  }

  /** The health of a credential over all models. */
  async ofCredential(provider: Provider, credential: Secret): Promise<CredentialHealth> {
    const whole = this.#recordOf({ provider, model: '' }, credential);
    await this.#readOthers([whole]);
    const targets = [...whole.record.models].map((model) => ({ provider, model }));
    const healths = await this.of(targets.map((target) => ({ target, credential })));
    const models = targets.flatMap(({ model }, at) => {
      const { restsUntilMs, isRejected = false } = healths[at] ?? {};
      if (isRejected) return { model, isRejected, restsUntilMs: undefined };
      return restsUntilMs === undefined ? [] : { model, isRejected, restsUntilMs };
    });
    return { isRejected: whole.record.isRejected, models };
  }

  /** The breakers that are not closed, for metrics. */
  *unclosedBreakers(): Iterable<{ readonly target: Target; readonly state: BreakerState }> {
    for (const { target, record } of this.#unhealthy) {
      const state = record.breaker(this.#parts.clock.now());
      if (state !== 'closed') yield { target, state };
    }
  }

  /** The number of credentials that a provider rejects, for all models or some, for metrics. */
  get rejectedCredentials(): number {
    const rejected = [...this.#unhealthy].filter(({ record }) => record.isRejected);
    return new Set(rejected.map(({ ofCredential }) => ofCredential)).size;
  }

  get size(): number {
    return this.#credentials.size;
  }

  /** Publishes what has not been published yet. */
  publishAll(): Promise<void> {
    return this.#shared.publishAll();
  }

  close(): Promise<void> {
    return this.#shared.close();
  }

  #recordOf(target: Target, credential: Secret | undefined): NamedRecord {
    if (this.#last?.target === target && this.#lastCredential === credential) return this.#last;
    const { provider, model } = target;
    const records = this.#recordsOf(provider, this.#credentialNames.of(credential));
    const named = records.find(model) ?? this.#addModel(records, target);
    this.#last = named;
    this.#lastCredential = credential;
    return named;
  }

  #recordsOf(provider: Provider, credentialName: string): CredentialRecords {
    const last = this.#last?.ofCredential;
    if (last?.provider === provider && last.credentialName === credentialName) return last;
    const key = `${idOf(provider)}#${credentialName}`;
    const records = this.#credentials.get(key) ?? new CredentialRecords(provider, credentialName);
    if (records.size === 1) this.#credentials.set(key, records);
    return records;
  }

  #addModel(records: CredentialRecords, target: Target): NamedRecord {
    const key = `${idOf(records.provider)}#${records.credentialName}`;
    // Its weight changes.
    this.#credentials.delete(key);
    const named = records.add(target);
    this.#credentials.set(key, records);
    return named;
  }

  /** Notes what a result says about its credential at all targets. */
  #addToCredential(named: NamedRecord, outcome: Outcome, isUrgent: boolean): void {
    const { whole } = named.ofCredential;
    const { record } = whole;
    const isAccepted = outcome.kind === 'answered' && record.isRejected;
    if (outcome.kind === 'rejected-credential') record.rejectedAtMs = this.#parts.clock.now();
    else if (isAccepted) record.acceptedAtMs = this.#parts.clock.now();
    else if (isUrgent) record.addModel(named.target.model);
    else return;
    this.#noteState(whole);
    this.#shared.publishSoon(whole, true);
  }

  /** A credential that was accepted for all targets later is not rejected for one. */
  #acceptWith({ record: { acceptedAtMs } }: NamedRecord, named: NamedRecord): void {
    const { record } = named;
    if (!record.isRejected || acceptedAtMs <= record.rejectedAtMs) return;
    record.acceptedAtMs = acceptedAtMs;
    this.#noteState(named);
  }

  #healthOf(named: NamedRecord, nowMs: number): TargetHealth {
    const { record } = named;
    const { whole } = named.ofCredential;
    this.#acceptWith(whole, named);
    const { attempts, failures } = record.counts(nowMs);
    const breaker = record.breaker(nowMs);
    const availableAtMs = () => Math.max(record.availableAtMs, whole.record.availableAtMs);
    const restsUntilMs = availableAtMs();
    const content = record.contentQuantiles(nowMs);
    return {
      breaker,
      attempts,
      errorRate: attempts === 0 ? 0 : failures / attempts,
      firstContentMs: content?.medianMs,
      slowContentMs: content?.slowMs,
      contentAgeMs: content === undefined ? undefined : nowMs - content.atMs,
      admittedShare: record.admittedShare(nowMs),
      restsUntilMs: restsUntilMs > nowMs ? restsUntilMs : undefined,
      isRejected: isRejected(named),
      mayTry: async () => {
        const triedAtMs = this.#parts.clock.now();
        if (availableAtMs() > triedAtMs) return false;
        return (record.breaker(triedAtMs) === 'closed' && !isRejected(named)) || this.#mayProbe(named);
      },
      availableAtMs,
    };
  }

  /** One call at a time finds out whether the target works again. */
  async #mayProbe(named: NamedRecord): Promise<boolean> {
    const once = { most: 1, seconds: limits.breakerProbeSeconds };
    // Without the store that counts them, several calls may probe the target at once.
    return (await this.#parts.rateLimiter.count(probeName(named), once).catch(() => 0)) === 0;
  }

  async #readOthers(named: readonly NamedRecord[]): Promise<void> {
    for (const one of await this.#shared.readOthers(named)) this.#noteState(one);
  }

  #noteState(named: NamedRecord): void {
    const { record } = named;
    if (record.breaker(this.#parts.clock.now()) === 'closed' && !record.isRejected)
      this.#unhealthy.delete(named);
    else if (this.#unhealthy.size < limits.healthRecordsMax) this.#unhealthy.add(named);
  }
}

/** A timeout took at least as long as the attempt lasted. */
function contentMsOf(
  { startedAtMs, endedAtMs, firstContentAtMs }: EndedAttempt,
  ending: Ending,
): number | undefined {
  const isTimeout =
    ending.how === 'failed' && GatewayError.is(ending.error) && ending.error.code === 'upstream_timeout';
  const atMs = firstContentAtMs ?? (isTimeout ? endedAtMs : undefined);
  return atMs === undefined ? undefined : atMs - startedAtMs;
}

function isRejected({ record, ofCredential: { whole } }: NamedRecord): boolean {
  return record.isRejected || whole.record.isRejected;
}

function probeName({ name }: NamedRecord): string {
  return `breaker probe ${name}`;
}
