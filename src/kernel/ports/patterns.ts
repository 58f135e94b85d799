/** What worked, or didn't, and what to do where it comes up again. */
export interface Pattern {
  /** Those that were made later come later in the order of ids. */
  readonly id: string;
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly state: PatternState;
  readonly origin: 'person' | 'forge';
  /** The end user of the account that it stays with, as a name of ours; null for all of them. */
  readonly scope: string | null;
  /** The account's holder has changed it, or has said by the option `scope=account` that all end users are one. */
  readonly approved?: true;
  /** What it says, without how; no two of the same scope have the same. */
  readonly fingerprint: string;
  /** Conversations that went well or badly with it, in parts where that is uncertain. */
  readonly wins: number;
  readonly losses: number;
  /** The same of conversations that it was held out of. */
  readonly without: { readonly wins: number; readonly losses: number };
  /** Ids of the calls that it came from, the latest last. */
  readonly evidence: readonly string[];
  /** Conversations that it came from, and those that went well with it. */
  readonly seenIn: readonly string[];
  readonly wonIn: readonly string[];
  /** What became of it, the latest last. */
  readonly story: readonly PatternEvent[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

type PatternState = 'candidate' | 'active' | 'retired';

/** What it is for: a text that says when, tools that it is about, models (`gpt-5*`) where it isn't for all. */
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
  /** Words that are all in the trigger or the advice. */
  readonly search?: readonly string[] | undefined;
  readonly state?: PatternState | undefined;
  /** Those made before this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A pattern that would have been brought into a conversation, and was or was held out of it. */
export interface PatternTrial {
  readonly patternId: string;
  readonly isHeldOut: boolean;
}

/** How a conversation went: parts of a win and of a loss, together 1 at most. */
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

/** What a change makes of a pattern; the same object where it stays as it is. */
export type PatternChange = (pattern: Pattern) => Pattern;

/** Where patterns are kept, with what they are judged by. An owner is a tenant's name. */
export interface PatternTable {
  /** `known` where one of the scope has the same fingerprint, `full` where there are `most` already. */
  add(owner: string, pattern: Pattern, most: number): Promise<'added' | 'known' | 'full'>;
  find(owner: string, id: string): Promise<Pattern | undefined>;
  byFingerprint(owner: string, scope: string | null, fingerprint: string): Promise<Pattern | undefined>;
  /** The newest first. */
  page(owner: string, page: PatternQuery): Promise<readonly Pattern[]>;
  /** Nobody else changes it meanwhile. Resolves to what it is then; undefined where there is none. */
  change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined>;
  /** False where there was none. */
  delete(owner: string, id: string): Promise<boolean>;
  /** Another number after every change of any pattern. */
  version(owner: string): Promise<number>;
  /** All of an owner that it knows, with what they were judged by. */
  forget(owner: string): Promise<void>;

  /** Remembers which conversation a call belongs to. */
  recordCall(
    owner: string,
    call: { readonly requestId: string; readonly conversation: string; readonly atMs: number },
  ): Promise<void>;
  conversationOf(owner: string, requestId: string): Promise<string | undefined>;
  /** One of its calls; undefined where there is no such conversation. */
  callOf(owner: string, conversation: string): Promise<string | undefined>;
  /** The first word on what a conversation is about stands. */
  recordGist(
    owner: string,
    said: Gist & { readonly conversation: string; readonly atMs: number },
  ): Promise<void>;
  gist(owner: string, conversation: string): Promise<Gist | undefined>;
  /** The first word on a pattern in a conversation stands. */
  recordTrials(
    owner: string,
    conversation: string,
    trials: readonly PatternTrial[],
    atMs: number,
  ): Promise<void>;
  /** The last word on the same thing counts; false where it was just that. */
  addOutcome(
    owner: string,
    conversation: string,
    outcome: Outcome & { readonly atMs: number },
  ): Promise<boolean>;
  outcomes(owner: string, conversation: string): Promise<readonly Outcome[]>;
  /**
   * Decides on a conversation by all outcomes that it has, gives every trial that verdict, and each pattern what `change`
   * makes of it then, in one step. Where nothing is decided, all stays as it is.
   */
  judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<Verdict | undefined>;
  /** Forgets calls, trials and outcomes from before, some at a time; true where there may be more. What patterns have won and lost stays. */
  tidy(beforeMs: number): Promise<boolean>;
}

/** What a conversation is about, and whom it is for: the first words of a person in it, where these may be kept. */
export interface Gist {
  readonly about: string;
  readonly scope: string | null;
}

/** What is found in a call, and might become a pattern. */
export interface PatternProposal {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  /** Null by the option `scope=account` alone. */
  readonly scope: string | null;
  readonly fingerprint: string;
  /** One that says the same in other words, where there is one. */
  readonly sameAs?: string | undefined;
  readonly requestId: string;
  readonly conversation: string;
  /** It counts only once another conversation shows the same, however this one went. */
  readonly needsRepetition?: true;
}

/** The patterns of one tenant, for modules. */
export interface Patterns {
  /** All that are not retired, as this process knows them: the same list for as long as nothing is changed. */
  listUnretired(): Promise<readonly Pattern[]>;
  /** How much of its traffic a pattern is held out of, where `usual` is the least. */
  holdoutShare(pattern: Pattern, usual: number): number;
  /** Remembers which conversation a call belongs to, so that outcomes find it. */
  recordCall(requestId: string, conversation: string): Promise<void>;
  /** Remembers what a conversation is about, for lessons from how it went. */
  recordGist(conversation: string, gist: Gist): Promise<void>;
  recordTrials(conversation: string, trials: readonly PatternTrial[]): Promise<void>;
  /** How a conversation seems to go; what is told of it counts more. */
  recordImpliedVerdict(conversation: string, verdict: Verdict): Promise<unknown>;
  /** Whether there is one already, retired ones included. */
  hasPattern(lesson: Pick<PatternProposal, 'scope' | 'fingerprint'>): Promise<boolean>;
  /** Becomes a candidate, or more evidence for what is there. */
  propose(patternProposal: PatternProposal): Promise<Pattern | undefined>;
}

/** Where they come from. */
export interface PatternSource {
  of(owner: string): Patterns;
}
