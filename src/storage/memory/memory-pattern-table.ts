import type {
  Gist,
  JudgedTrial,
  Outcome,
  Pattern,
  PatternChange,
  PatternQuery,
  PatternTable,
  PatternTrial,
  Verdict,
} from '../../kernel/ports/patterns.ts';

interface OwnerState {
  readonly patterns: Map<string, Pattern>;
  version: number;
  readonly calls: Map<string, { readonly conversation: string; readonly atMs: number }>;
  readonly trials: Map<string, Map<string, PatternTrial & { verdict: Verdict }>>;
  readonly outcomes: Map<string, Map<string, Outcome>>;
  readonly gists: Map<string, Gist & { readonly atMs: number }>;
}

const undecided: Verdict = { good: 0, bad: 0 };

/** A pattern table in memory, for tests and simulations. */
export class MemoryPatternTable implements PatternTable {
  readonly #owners = new Map<string, OwnerState>();

  async add(owner: string, pattern: Pattern, most: number): Promise<'added' | 'known' | 'full'> {
    const state = this.#stateOf(owner);
    if (this.#findByFingerprint(state, pattern.scope, pattern.fingerprint) !== undefined) return 'known';
    if (state.patterns.size >= most) return 'full';
    state.patterns.set(pattern.id, pattern);
    state.version++;
    return 'added';
  }

  async find(owner: string, id: string): Promise<Pattern | undefined> {
    return this.#stateOf(owner).patterns.get(id);
  }

  async byFingerprint(
    owner: string,
    scope: string | null,
    fingerprint: string,
  ): Promise<Pattern | undefined> {
    return this.#findByFingerprint(this.#stateOf(owner), scope, fingerprint);
  }

  async page(owner: string, { search = [], state, after, limit }: PatternQuery): Promise<readonly Pattern[]> {
    const matchesSearch = ({ trigger, advice }: Pattern) => {
      const words = [trigger.text, ...trigger.tools, advice].join('\n').toLowerCase();
      return search.every((word) => words.includes(word.toLowerCase()));
    };
    return [...this.#stateOf(owner).patterns.values()]
      .filter((one) => state === undefined || one.state === state)
      .filter((one) => after === undefined || one.id < after)
      .filter(matchesSearch)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, limit);
  }

  async change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined> {
    const state = this.#stateOf(owner);
    const before = state.patterns.get(id);
    return before === undefined ? undefined : this.#replace(state, before, change(before));
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const state = this.#stateOf(owner);
    state.version++;
    return state.patterns.delete(id);
  }

  async version(owner: string): Promise<number> {
    return this.#stateOf(owner).version;
  }

  async forget(owner: string): Promise<void> {
    this.#owners.delete(owner);
  }

  async recordCall(owner: string, call: Parameters<PatternTable['recordCall']>[1]): Promise<void> {
    this.#stateOf(owner).calls.set(call.requestId, call);
  }

  async conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return this.#stateOf(owner).calls.get(requestId)?.conversation;
  }

  async callOf(owner: string, conversation: string): Promise<string | undefined> {
    return this.#stateOf(owner)
      .calls.entries()
      .find(([, call]) => call.conversation === conversation)?.[0];
  }

  async recordGist(
    owner: string,
    { conversation, about, scope, atMs }: Parameters<PatternTable['recordGist']>[1],
  ): Promise<void> {
    const { gists } = this.#stateOf(owner);
    if (!gists.has(conversation)) gists.set(conversation, { about, scope, atMs });
  }

  async gist(owner: string, conversation: string): Promise<Gist | undefined> {
    const gist = this.#stateOf(owner).gists.get(conversation);
    return gist && { about: gist.about, scope: gist.scope };
  }

  async recordTrials(owner: string, conversation: string, trials: readonly PatternTrial[]): Promise<void> {
    const state = this.#stateOf(owner);
    const there = state.trials.get(conversation) ?? new Map();
    state.trials.set(conversation, there);
    for (const trial of trials)
      if (!there.has(trial.patternId)) there.set(trial.patternId, { ...trial, verdict: undecided });
  }

  async addOutcome(
    owner: string,
    conversation: string,
    { requestId, good, bad, note }: Outcome,
  ): Promise<boolean> {
    const state = this.#stateOf(owner);
    const there = state.outcomes.get(conversation) ?? new Map<string, Outcome>();
    state.outcomes.set(conversation, there);
    const before = there.get(requestId);
    there.set(requestId, { requestId, note, good, bad });
    return before?.good !== good || before.bad !== bad || before.note !== note;
  }

  async outcomes(owner: string, conversation: string): Promise<readonly Outcome[]> {
    const there = [...(this.#stateOf(owner).outcomes.get(conversation)?.values() ?? [])];
    return there.sort((one, other) => (one.requestId < other.requestId ? -1 : 1));
  }

  async judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<Verdict | undefined> {
    const verdict = decide(await this.outcomes(owner, conversation));
    if (verdict === undefined) return undefined;
    const state = this.#stateOf(owner);
    for (const trial of state.trials.get(conversation)?.values() ?? []) {
      const before = trial.verdict;
      if (before.good === verdict.good && before.bad === verdict.bad) continue;
      trial.verdict = verdict;
      const pattern = state.patterns.get(trial.patternId);
      if (pattern !== undefined)
        this.#replace(state, pattern, change(pattern, { ...trial, before, now: verdict }));
    }
    return verdict;
  }

  async tidy(beforeMs: number): Promise<boolean> {
    for (const { calls, gists } of this.#owners.values())
      for (const entries of [calls, gists])
        for (const [id, { atMs }] of entries) if (atMs < beforeMs) entries.delete(id);
    return false;
  }

  #stateOf(owner: string): OwnerState {
    const there = this.#owners.get(owner) ?? {
      patterns: new Map(),
      version: 0,
      calls: new Map(),
      trials: new Map(),
      outcomes: new Map(),
      gists: new Map(),
    };
    this.#owners.set(owner, there);
    return there;
  }

  #findByFingerprint(
    { patterns }: OwnerState,
    scope: string | null,
    fingerprint: string,
  ): Pattern | undefined {
    return patterns.values().find((one) => one.scope === scope && one.fingerprint === fingerprint);
  }

  #replace(state: OwnerState, before: Pattern, now: Pattern): Pattern {
    if (now === before) return before;
    state.patterns.set(now.id, now);
    state.version++;
    return now;
  }
}
