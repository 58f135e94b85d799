/** `open`: calls should go elsewhere. `half-open`: one call at a time finds out whether the target works again. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** The recent results of a target with one credential, in all processes of an instance. */
export interface TargetHealth {
  readonly breaker: BreakerState;
  /** Attempts in the last minute, and the share that failed. Rejections that the client caused are no failures. */
  readonly attempts: number;
  readonly errorRate: number;
  /** The median time to the first content, and the time within which 95 % have it; undefined without recent answers. */
  readonly firstContentMs: number | undefined;
  readonly slowContentMs: number | undefined;
  /** The age of the newest of these answers. */
  readonly contentAgeMs: number | undefined;
  /** The share of calls that it should get, 1 normally: it grows slowly after an outage or a rest. */
  readonly admittedShare: number;
  /**
   * Until when it rests, in milliseconds since 1970: an open breaker, the wait that the provider asked for, or some
   * minutes after a rejected credential.
   */
  readonly restsUntilMs: number | undefined;
  /** Whether the provider rejected the credential. */
  readonly isRejected: boolean;
  /**
   * Whether a call should be sent now. If the breaker is half-open, or the credential was rejected some minutes ago, true
   * for one call at a time.
   */
  mayTry(): Promise<boolean>;
  /** From when on a breaker and the provider allow calls, as of now; in milliseconds since 1970. */
  availableAtMs(): number;
}

/** What a provider makes of a credential, in all processes of an instance. */
export interface CredentialHealth {
  /** Whether the provider rejects it for all models. */
  readonly isRejected: boolean;
  /** Models that it is rejected for, or rests for. */
  readonly models: readonly {
    readonly model: string;
    readonly isRejected: boolean;
    readonly restsUntilMs: number | undefined;
  }[];
}

/** The results of one process in one slot of time. */
export interface HealthSlot {
  /** Number of the slot since 1970. */
  readonly slot: number;
  readonly attempts: number;
  readonly failures: number;
}

/** Times to the first content. The weight of an answer is 1 at first and decays. */
export interface ReportedContentTimes {
  readonly medianMs: number;
  readonly slowMs: number;
  readonly weight: number;
  readonly atMs: number;
}

/** What one process reports about a target with one credential. Times are milliseconds since 1970, or 0. */
export interface HealthReport {
  readonly slots: readonly HealthSlot[];
  /** When the breaker last opened and closed. */
  readonly openedAtMs: number;
  readonly closedAtMs: number;
  /** Until when the provider asked to wait. */
  readonly restsUntilMs: number;
  /** When the provider last rejected the credential, and accepted it again. */
  readonly rejectedAtMs: number;
  readonly acceptedAtMs: number;
  /** The times to the first content of recent answers. */
  readonly content?: ReportedContentTimes | undefined;
  /** Models that have reports of their own; only in the report about all models of a provider with a credential. */
  readonly models?: readonly string[] | undefined;
}

/** The health reports of all processes. Losing them is harmless: each process has its own results. */
export interface HealthBoard {
  /** Replaces the report of a process about a target. It expires after an hour. */
  publish(name: string, processId: string, report: HealthReport): Promise<void>;
  /** The reports of all processes about each of these targets, by process. */
  read(names: readonly string[]): Promise<readonly ReadonlyMap<string, HealthReport>[]>;
}

/** A breaker opened or closed, or a provider began to reject a credential. */
export interface HealthChange {
  readonly kind: 'breaker.opened' | 'breaker.closed' | 'credential.failing';
  /** The account whose call noticed it. */
  readonly accountId: string;
  readonly provider: string;
  /** Empty for all models. */
  readonly model: string;
  /** The last characters of the credential; null without one, or if it is short. */
  readonly hint: string | null;
  /** The target with its credential, the same in all processes; reveals no credential. */
  readonly name: string;
  /** When the failures began; of a breaker that has reopened, when it did so last. */
  readonly sinceMs: number;
  readonly atMs: number;
}
