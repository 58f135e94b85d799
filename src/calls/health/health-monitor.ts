import { KeyedHasher } from '../../accounts/keyed-hasher.ts';
import type { Attempt } from '../../kernel/attempt.ts';
import type { BreakerState, HealthBoard, TargetHealth } from '../../kernel/ports/health.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Target } from '../../kernel/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import type { Secret } from '../../lib/secret.ts';
import { limits } from '../limits.ts';
import { outcomeOf } from './outcome.ts';
import { TargetRecord } from './target-record.ts';

export interface HealthMonitorParts {
  /** The key that names credentials, the same in all processes of an instance. */
  readonly nameKey: Uint8Array;
  readonly processId: string;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter;
  /** Undefined if no module reads the health of targets: then no process needs the results of others. */
  readonly board: HealthBoard | undefined;
}

export type EndedAttempt = Pick<Attempt, 'target' | 'ending' | 'startedAtMs' | 'firstContentAtMs'>;

/** A target with the credential that a call to it uses. */
export interface CredentialedTarget {
  readonly target: Target;
  readonly credential: Secret | undefined;
}

interface NamedRecord {
  readonly target: Target;
  /** A keyed hash of the credential. */
  readonly credentialName: string;
  /** A name for other processes that reveals no credential. */
  readonly name: string;
  readonly record: TargetRecord;
}

/** Records the results of attempts by target and credential, and shares them with the other processes. */
export class HealthMonitor {
  readonly #parts: HealthMonitorParts;
  readonly #hasher: KeyedHasher;
  readonly #records = new Lru<NamedRecord>(limits.healthRecordsMax);
  readonly #unhealthy = new Set<NamedRecord>();
  readonly #unpublished = new Set<NamedRecord>();
  /** Comparing with the last record is much faster than a lookup. */
  #last: NamedRecord | undefined;
  #lastCredential: Secret | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: HealthMonitorParts) {
    this.#parts = parts;
    this.#hasher = new KeyedHasher(parts.nameKey);
  }

  /** Called at the end of each attempt. Providers inside the gateway have no health. */
  add({ target, ending, startedAtMs, firstContentAtMs }: EndedAttempt, credential: Secret | undefined): void {
    if (ending === undefined || target.provider.answerLocally !== undefined) return;
    const named = this.#recordOf(target, credential);
    const outcome = outcomeOf(ending);
    const nowMs = this.#parts.clock.now();
    const isProbe = outcome.kind === 'unknown' && named.record.breaker(nowMs) === 'half-open';
    if (isProbe) void this.#parts.rateLimiter.forget(probeName(named)).catch(() => undefined);
    const contentMs = firstContentAtMs === undefined ? undefined : firstContentAtMs - startedAtMs;
    const isUrgent = named.record.add(outcome, nowMs, contentMs);
    if (isUrgent) this.#noteState(named);
    if (this.#parts.board !== undefined) this.#publishSoon(named, isUrgent);
  }

  /** The health of targets, with what other processes published in the last moments. */
  async of(credentialedTargets: readonly CredentialedTarget[]): Promise<readonly TargetHealth[]> {
    const named = credentialedTargets.map(({ target, credential }) => this.#recordOf(target, credential));
    await this.#readOthers(named);
    return named.map((one) => this.#healthOf(one));
  }

  /** The breakers that are not closed, for metrics. */
  *unclosedBreakers(): Iterable<{ readonly target: Target; readonly state: BreakerState }> {
    for (const { target, record } of this.#unhealthy) {
      const state = record.breaker(this.#parts.clock.now());
      if (state !== 'closed') yield { target, state };
    }
  }

  /** The targets whose provider rejects a credential, for metrics. */
  *rejectedCredentials(): Iterable<Target> {
    for (const { target, record } of this.#unhealthy) if (record.isRejected) yield target;
  }

  get size(): number {
    return this.#records.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.publishAll();
  }

  #recordOf(target: Target, credential: Secret | undefined): NamedRecord {
    if (this.#last?.target === target && this.#lastCredential === credential) return this.#last;
    const credentialName = credential === undefined ? '' : this.#hasher.hashText(credential.reveal());
    const isSame = this.#last?.target === target && this.#last.credentialName === credentialName;
    const named = isSame && this.#last !== undefined ? this.#last : this.#findRecord(target, credentialName);
    this.#last = named;
    this.#lastCredential = credential;
    return named;
  }

  #findRecord(target: Target, credentialName: string): NamedRecord {
    const key = `${target.provider.name}/${target.model}#${credentialName}`;
    let named = this.#records.get(key);
    if (named === undefined) {
      const name = `${target.provider.name}/${target.model}#${Buffer.from(credentialName, 'utf16le').toString('hex')}`;
      named = { target, credentialName, name, record: new TargetRecord() };
      this.#records.set(key, named);
    }
    return named;
  }

  #healthOf(named: NamedRecord): TargetHealth {
    const { record } = named;
    const nowMs = this.#parts.clock.now();
    const { attempts, failures } = record.counts(nowMs);
    const breaker = record.breaker(nowMs);
    const openUntilMs = breaker === 'open' ? record.openedAtMs + limits.breakerOpenMs : 0;
    const restsUntilMs = Math.max(openUntilMs, record.restsUntilMs);
    return {
      breaker,
      attempts,
      errorRate: attempts === 0 ? 0 : failures / attempts,
      firstContentMs: record.firstContentMs,
      restsUntilMs: restsUntilMs > nowMs ? restsUntilMs : undefined,
      isRejected: record.isRejected,
      mayTry: () => this.#mayTry(named),
    };
  }

  async #mayTry(named: NamedRecord): Promise<boolean> {
    const { record } = named;
    const nowMs = this.#parts.clock.now();
    const breaker = record.breaker(nowMs);
    if (record.isRejected || record.restsUntilMs > nowMs || breaker === 'open') return false;
    if (breaker === 'closed') return true;
    const once = { most: 1, seconds: limits.breakerProbeSeconds };
    // Without the store that counts them, several calls may probe the target at once.
    return (await this.#parts.rateLimiter.count(probeName(named), once).catch(() => 0)) === 0;
  }

  #noteState(named: NamedRecord): void {
    const { record } = named;
    if (record.breaker(this.#parts.clock.now()) === 'closed' && !record.isRejected)
      this.#unhealthy.delete(named);
    else if (this.#unhealthy.size < limits.healthRecordsMax) this.#unhealthy.add(named);
  }

  async #readOthers(named: readonly NamedRecord[]): Promise<void> {
    const { board, clock, processId } = this.#parts;
    const nowMs = clock.now();
    const stale = named.filter(({ record }) => nowMs - record.readAtMs >= limits.healthReadMs);
    if (board === undefined || stale.length === 0) return;
    // Without the reports of others, the results of this process have to do.
    const all = await board.read(stale.map(({ name }) => name)).catch(() => []);
    for (const [at, reports] of all.entries()) {
      const one = stale[at];
      if (one === undefined) continue;
      one.record.merge(
        [...reports].flatMap(([owner, report]) => (owner === processId ? [] : [report])),
        nowMs,
      );
      this.#noteState(one);
    }
  }

  #publishSoon(named: NamedRecord, isUrgent: boolean): void {
    if (this.#isClosed) return;
    if (isUrgent) return void this.#publish(named);
    this.#unpublished.add(named);
    this.#timer ??= setTimeout(() => void this.publishAll(), limits.healthPublishMs).unref();
  }

  /** Publishes what has not been published yet. */
  async publishAll(): Promise<void> {
    this.#timer = undefined;
    const waiting = [...this.#unpublished].slice(0, limits.healthPublishedMax);
    this.#unpublished.clear();
    await Promise.all(waiting.map((named) => this.#publish(named)));
  }

  /** A report that is lost is followed by another with the next attempt. */
  async #publish(named: NamedRecord): Promise<void> {
    this.#unpublished.delete(named);
    const { board, processId } = this.#parts;
    await board?.publish(named.name, processId, named.record.report).catch(() => undefined);
  }
}

function probeName({ name }: NamedRecord): string {
  return `breaker probe ${name}`;
}
