/** What worked, or didn't, and what to do when it comes up again. */
export interface Pattern {
  /** Ordered by creation time. */
  readonly id: string;
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly state: PatternState;
  readonly origin: 'person' | 'forge';
  /** The pseudonym of the end user that it applies to; null for all. */
  readonly scope: string | null;
  /** Whether the account holder approved it, by a change or with the option `scope=account`. */
  readonly approved?: true;
  /** A fingerprint of its content; unique within a scope. */
  readonly fingerprint: string;
  /** Conversations that went well or badly with it; fractions if uncertain. */
  readonly wins: number;
  readonly losses: number;
  /** The same for conversations of the holdout. */
  readonly without: { readonly wins: number; readonly losses: number };
  /** Ids of its source calls, the latest last. */
  readonly evidence: readonly string[];
  /** Its source conversations, and those that went well with it. */
  readonly seenIn: readonly string[];
  readonly wonIn: readonly string[];
  /** Its history, the latest last. */
  readonly story: readonly PatternEvent[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

type PatternState = 'candidate' | 'active' | 'retired';

/** When it applies: a description, tools, and models (`gpt-5*`) if limited to some. */
export interface PatternTrigger {
  readonly text: string;
  readonly tools: readonly string[];
  readonly models: readonly string[];
}

interface PatternEvent {
  readonly atMs: number;
  readonly what: string;
}

export interface PatternQuery {
  /** Words that must all be in the trigger or the advice. */
  readonly search?: readonly string[] | undefined;
  readonly state?: PatternState | undefined;
  /** The cursor: patterns created before this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A pattern that matched a conversation, and was applied or held out. */
export interface PatternTrial {
  readonly patternId: string;
  readonly isHeldOut: boolean;
}

/** The result of a conversation: fractions of a win and of a loss, together 1 at most. */
export interface Verdict {
  readonly good: number;
  readonly bad: number;
}

export interface Outcome extends Verdict {
  /** The call that it is about; empty for the whole conversation. */
  readonly requestId: string;
  readonly note: string;
}

export interface JudgedTrial extends PatternTrial {
  readonly before: Verdict;
  readonly now: Verdict;
}

/** Changes a pattern; returns the same object if nothing changes. */
export type PatternChange = (pattern: Pattern) => Pattern;

/** Stores patterns and their outcomes. An owner is a tenant's scope. */
export interface PatternTable {
  /** `known` if the scope has the same fingerprint, `full` if there are `most` already. */
  add(owner: string, pattern: Pattern, most: number): Promise<'added' | 'known' | 'full'>;
  find(owner: string, id: string): Promise<Pattern | undefined>;
  byFingerprint(owner: string, scope: string | null, fingerprint: string): Promise<Pattern | undefined>;
  /** The newest first. */
  page(owner: string, page: PatternQuery): Promise<readonly Pattern[]>;
  /** Changes a pattern atomically. Resolves to the result; undefined if there is none. */
  change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined>;
  /** False if there was none. */
  delete(owner: string, id: string): Promise<boolean>;
  /** A number that changes with every change of any pattern. */
  version(owner: string): Promise<number>;
  /** Deletes all patterns of an owner, with their outcomes. */
  forget(owner: string): Promise<void>;

  /** Stores the conversation of a call. */
  recordCall(
    owner: string,
    call: { readonly requestId: string; readonly conversation: string; readonly atMs: number },
  ): Promise<void>;
  conversationOf(owner: string, requestId: string): Promise<string | undefined>;
  /** One of its calls; undefined if there is no such conversation. */
  callOf(owner: string, conversation: string): Promise<string | undefined>;
  /** Keeps an existing topic of a conversation. */
  recordGist(
    owner: string,
    gist: Gist & { readonly conversation: string; readonly atMs: number },
  ): Promise<void>;
  gist(owner: string, conversation: string): Promise<Gist | undefined>;
  /** Keeps an existing trial of a pattern in a conversation. */
  recordTrials(
    owner: string,
    conversation: string,
    trials: readonly PatternTrial[],
    atMs: number,
  ): Promise<void>;
  /** Replaces an earlier outcome of the same source; false if it is unchanged. */
  addOutcome(
    owner: string,
    conversation: string,
    outcome: Outcome & { readonly atMs: number },
  ): Promise<boolean>;
  outcomes(owner: string, conversation: string): Promise<readonly Outcome[]>;
  /**
   * Judges a conversation by all its outcomes, sets the verdict of each trial, and applies `change` to each pattern,
   * atomically. Changes nothing without a verdict.
   */
  judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<Verdict | undefined>;
  /** Deletes older calls, trials and outcomes in chunks; true if there may be more. The totals of patterns stay. */
  tidy(beforeMs: number): Promise<boolean>;
}

/** The topic and end user of a conversation: the first user text in it, if it may be stored. */
export interface Gist {
  readonly about: string;
  readonly scope: string | null;
}

/** A finding in a call that may become a pattern. */
export interface PatternProposal {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  /** Null with the option `scope=account` only. */
  readonly scope: string | null;
  readonly fingerprint: string;
  /** An existing pattern that says the same in other words, if any. */
  readonly sameAs?: string | undefined;
  readonly requestId: string;
  readonly conversation: string;
  /** Counts only once another conversation shows the same, however this one went. */
  readonly needsRepetition?: true;
}

/** The patterns of one tenant, for modules. */
export interface Patterns {
  /** All patterns that are not retired, as known to this process; the same list until something changes. */
  listUnretired(): Promise<readonly Pattern[]>;
  /** The holdout share of a pattern; `usual` is the minimum. */
  holdoutShare(pattern: Pattern, usual: number): number;
  /** Stores the conversation of a call, so that outcomes can be assigned to it. */
  recordCall(requestId: string, conversation: string): Promise<void>;
  /** Stores the topic of a conversation, for lessons from its outcome. */
  recordGist(conversation: string, gist: Gist): Promise<void>;
  recordTrials(conversation: string, trials: readonly PatternTrial[]): Promise<void>;
  /** How a conversation seems to go; reported outcomes count more. */
  recordImpliedVerdict(conversation: string, verdict: Verdict): Promise<unknown>;
  /** Whether it exists already, including retired ones. */
  hasPattern(lesson: Pick<PatternProposal, 'scope' | 'fingerprint'>): Promise<boolean>;
  /** Adds a candidate, or more evidence for an existing pattern. */
  propose(patternProposal: PatternProposal): Promise<Pattern | undefined>;
}

export interface PatternSource {
  of(owner: string): Patterns;
}
