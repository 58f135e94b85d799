/** Sums of the calls of a key in some time. */
export interface KeyActivity {
  readonly calls: number;
  readonly failed: number;
  /** Calls that a cache of the gateway answered. */
  readonly cached: number;
  /** Of requests, with what the provider read from its cache. */
  readonly promptTokens: number;
  readonly cacheReadTokens: number;
  readonly costNanoUsd: number;
}

/** An API key, or the calls of an account without one: its id is empty. */
export interface ActiveKey {
  readonly accountId: string;
  readonly keyId: string;
}

/** Calls of a key in one of the equal parts of a time. */
export interface ActivityOfKey extends ActiveKey {
  readonly part: number;
  readonly activity: KeyActivity;
}

/** Calls of a key that have all of this in common. */
export interface ActivityPart {
  readonly atMs: number;
  readonly model: string;
  readonly provider: string | null;
  readonly client: string | null;
  /** Of failed calls: the code, or else the HTTP status. */
  readonly error: string | null;
  readonly activity: KeyActivity;
}

/** What a watcher has learned of a key, as JSON. */
export interface StoredKeyState extends ActiveKey {
  readonly state: string;
  /** Changes once a day; undefined to leave it as it is. */
  readonly past: string | undefined;
  readonly hasIncident: boolean;
  readonly savedMs: number;
}

/** What keys do, and what is remembered of it. */
export interface KeyActivities {
  /** Makes a process the only one that watches. */
  acquireLease(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Sums of all keys with calls, by parts of a time of the last hours. */
  sums(query: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly partMs: number;
    readonly most: number;
  }): Promise<readonly ActivityOfKey[]>;
  /** What the calls of a key were, by parts of a time of the last hours. */
  parts(
    key: ActiveKey,
    query: { readonly fromMs: number; readonly toMs: number; readonly partMs: number; readonly most: number },
  ): Promise<readonly ActivityPart[]>;
  states(keys: readonly ActiveKey[]): Promise<readonly Omit<StoredKeyState, 'past'>[]>;
  pasts(keys: readonly ActiveKey[]): Promise<readonly (ActiveKey & { readonly past: string })[]>;
  /** Keys that have an incident. */
  withIncident(most: number): Promise<readonly ActiveKey[]>;
  save(states: readonly StoredKeyState[]): Promise<void>;
  clean(beforeMs: number): Promise<void>;
  forget(accountId: string): Promise<void>;
}
