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
