import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type {
  Forged,
  Outcome,
  Pattern,
  PatternBooks,
  PatternPage,
  Patterns,
  PatternTable,
  PatternTrigger,
  Verdict,
} from '../kernel/ports/patterns.ts';
import { activated, isGood, judged, seenAgain, told, verdictOf } from './pattern-changes.ts';
import { holdOutOf } from './worth.ts';

export interface PatternBookParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  /** Told of what can't be done after calls. */
  onTrouble?(error: unknown): void;
}

/** What a person says of a pattern. */
export interface PersonsWord {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly state: Pattern['state'];
  readonly scope: string | null;
}

export type ToldOutcome = Outcome & { readonly conversation: string };

interface Open {
  readonly version: number;
  readonly patterns: readonly Pattern[];
  readonly checkedAtMs: number;
}

/** What tenants have learned: kept in the database, and looked through in memory. */
export class PatternBook implements PatternBooks {
  readonly #table: PatternTable;
  readonly #clock: Clock;
  readonly #onTrouble: (error: unknown) => void;
  #opened = new Lru<Promise<Open>>(limits.patternBooksOpen);
  #patternsOpened = 0;
  readonly #renewing = new Set<string>();
  #sinceTidying = 0;

  constructor({ table, clock, onTrouble = () => undefined }: PatternBookParts) {
    this.#table = table;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  of(owner: string): Patterns {
    return {
      open: () => this.#open(owner),
      holdOut: holdOutOf,
      note: (requestId, conversation) => this.#note(owner, requestId, conversation),
      tried: (conversation, trials) => this.#table.tried(owner, conversation, trials, this.#clock.now()),
      seems: (conversation, verdict) => this.#seems(owner, conversation, verdict),
      forge: (forged) => this.#forge(owner, forged),
    };
  }

  page(owner: string, page: PatternPage): Promise<readonly Pattern[]> {
    return this.#table.page(owner, page);
  }

  find(owner: string, id: string): Promise<Pattern | undefined> {
    return this.#table.find(owner, id);
  }

  /** Undefined where there is no room. One that says the same becomes what is said now. */
  async add(
    owner: string,
    word: PersonsWord,
  ): Promise<{ readonly pattern: Pattern; readonly isNew: boolean } | undefined> {
    const pattern = this.#newPattern(
      { ...word, origin: 'person', fingerprint: fingerprintOf(word) },
      'made by a person',
    );
    const added = await this.#table.add(owner, pattern, limits.patternsMax);
    this.#changed(owner);
    if (added === 'added') return { pattern, isNew: true };
    if (added === 'full') return undefined;
    const there = await this.#table.byFingerprint(owner, word.scope, pattern.fingerprint);
    if (there === undefined) return undefined;
    const changed = await this.change(owner, there.id, { state: word.state });
    return { pattern: changed ?? there, isNew: false };
  }

  /** A person's word. One that is made active again is counted anew, and is for all end users. */
  async change(owner: string, id: string, word: Partial<PersonsWord>): Promise<Pattern | undefined> {
    const changed = await this.#table.change(owner, id, (pattern) => this.#byWord(pattern, word));
    this.#changed(owner);
    return changed;
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const deleted = await this.#table.delete(owner, id);
    this.#changed(owner);
    return deleted;
  }

  conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return this.#table.conversationOf(owner, requestId);
  }

  isConversation(owner: string, conversation: string): Promise<boolean> {
    return this.#table.isConversation(owner, conversation);
  }

  async outcome(owner: string, outcome: ToldOutcome): Promise<void> {
    const { conversation, ...said } = outcome;
    const isNew = await this.#table.addOutcome(owner, conversation, { ...said, atMs: this.#clock.now() });
    if (!isNew) return;
    const verdict = verdictOf(await this.#table.outcomes(owner, conversation));
    if (verdict === undefined) return;
    await this.#judge(owner, conversation, verdict);
    if (isGood(verdict)) await this.#confirm(owner, conversation);
  }

  #byWord(pattern: Pattern, word: Partial<PersonsWord>): Pattern {
    const atMs = this.#clock.now();
    const entries = Object.entries(word).filter(([, value]) => value !== undefined);
    const isActivated = word.state === 'active' && pattern.state !== 'active';
    const changed: Pattern = {
      ...pattern,
      ...Object.fromEntries(entries),
      ...(isActivated && word.scope === undefined && { scope: null }),
      ...(isActivated &&
        pattern.state === 'retired' && { wins: 0, losses: 0, without: { wins: 0, losses: 0 } }),
    };
    const isSaid = changed.advice !== pattern.advice || word.trigger !== undefined;
    const fingerprint = isSaid ? fingerprintOf(changed) : pattern.fingerprint;
    return told(
      { ...changed, fingerprint },
      `changed by a person: ${entries.map(([name]) => name).join(', ')}`,
      atMs,
    );
  }

  async #note(owner: string, requestId: string, conversation: string): Promise<void> {
    const atMs = this.#clock.now();
    await this.#table.note(owner, { requestId, conversation, atMs });
    if (++this.#sinceTidying < limits.patternCallsBetweenTidying) return;
    this.#sinceTidying = 0;
    void this.#table.tidy(atMs - limits.patternTrialsKeptMs).catch(this.#onTrouble);
  }

  async #seems(owner: string, conversation: string, verdict: Verdict): Promise<void> {
    if ((await this.#table.outcomes(owner, conversation)).length > 0) return;
    await this.#judge(owner, conversation, verdict);
  }

  async #judge(owner: string, conversation: string, verdict: Verdict): Promise<void> {
    const atMs = this.#clock.now();
    await this.#table.judge(owner, conversation, verdict, (pattern, trial) =>
      judged(pattern, trial, { conversation, atMs }),
    );
    this.#changed(owner);
  }

  /** A conversation went well: what was found in it works. */
  async #confirm(owner: string, conversation: string): Promise<void> {
    const open = await this.#open(owner);
    for (const { id } of open.filter((one) => one.state === 'candidate' && one.seenIn.includes(conversation)))
      await this.#table.change(owner, id, (pattern) =>
        pattern.state === 'candidate'
          ? activated(pattern, 'the conversation that it is from went well', this.#clock.now())
          : pattern,
      );
    this.#changed(owner);
  }

  async #forge(owner: string, forged: Forged): Promise<Pattern | undefined> {
    const atMs = this.#clock.now();
    const { trigger, advice, scope, fingerprint, requestId, conversation, sameAs } = forged;
    const there =
      (await this.#table.byFingerprint(owner, scope, fingerprint)) ??
      (await this.#table.byFingerprint(owner, null, fingerprint)) ??
      (sameAs === undefined ? undefined : await this.#table.find(owner, sameAs));
    if (there !== undefined) {
      const seen = await this.#table.change(owner, there.id, (pattern) => seenAgain(pattern, forged, atMs));
      if (seen !== there) this.#changed(owner);
      return seen;
    }
    const went = verdictOf(await this.#table.outcomes(owner, conversation));
    const found: Pattern = {
      ...this.#newPattern(
        { trigger, advice, scope, state: 'candidate', origin: 'forge', fingerprint },
        `found in ${requestId}`,
      ),
      evidence: [requestId],
      seenIn: [conversation],
    };
    const pattern =
      went !== undefined && isGood(went)
        ? activated(found, 'the conversation that it is from went well', atMs)
        : found;
    const added = await this.#table.add(owner, pattern, limits.patternsMax);
    this.#changed(owner);
    return added === 'added' ? pattern : undefined;
  }

  #newPattern(fields: PersonsWord & Pick<Pattern, 'origin' | 'fingerprint'>, what: string): Pattern {
    const atMs = this.#clock.now();
    return {
      id: `pat_${atMs.toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`,
      ...fields,
      wins: 0,
      losses: 0,
      without: { wins: 0, losses: 0 },
      evidence: [],
      seenIn: [],
      wonIn: [],
      story: [{ atMs, what }],
      createdAtMs: atMs,
      updatedAtMs: atMs,
    };
  }

  /** From now on this process looks again. */
  #changed(owner: string): void {
    const before = this.#opened.get(owner);
    if (before === undefined) return;
    this.#opened.set(
      owner,
      before.then((open) => ({ ...open, checkedAtMs: Number.NEGATIVE_INFINITY })),
    );
  }

  async #open(owner: string): Promise<readonly Pattern[]> {
    const before = this.#opened.get(owner);
    const known = before === undefined ? undefined : await before;
    if (known !== undefined && this.#clock.now() - known.checkedAtMs < limits.patternsSeenMs)
      return known.patterns;
    const reading = this.#read(owner, known);
    if (this.#opened.get(owner) === before) this.#opened.set(owner, reading);
    return (await reading).patterns;
  }

  /** Where the database is away, what was known before is better than nothing. */
  async #read(owner: string, known: Open | undefined): Promise<Open> {
    const checkedAtMs = this.#clock.now();
    try {
      const version = await this.#table.version(owner);
      if (known?.version === version) return { ...known, checkedAtMs };
      // Many take a while to be read, and no call waits for that.
      if (known !== undefined && known.patterns.length > limits.patternsReadAtOnce) {
        void this.#renew(owner, version);
        return { ...known, checkedAtMs };
      }
      return { version, checkedAtMs, patterns: version === 0 ? [] : await this.#load(owner) };
    } catch (error) {
      this.#onTrouble(error);
      return { version: known?.version ?? -1, patterns: known?.patterns ?? [], checkedAtMs };
    }
  }

  async #renew(owner: string, version: number): Promise<void> {
    if (this.#renewing.has(owner)) return;
    this.#renewing.add(owner);
    try {
      const patterns = await this.#load(owner);
      this.#opened.set(owner, Promise.resolve({ version, patterns, checkedAtMs: this.#clock.now() }));
    } catch (error) {
      this.#onTrouble(error);
    } finally {
      this.#renewing.delete(owner);
    }
  }

  async #load(owner: string): Promise<readonly Pattern[]> {
    const patterns: Pattern[] = [];
    for (const state of ['active', 'candidate'] as const)
      for (let after: string | undefined; ; ) {
        const page = await this.#table.page(owner, { state, after, limit: limits.databaseRowsAtOnce });
        patterns.push(...page);
        if (page.length < limits.databaseRowsAtOnce) break;
        after = page.at(-1)?.id;
      }
    this.#patternsOpened += patterns.length;
    if (this.#patternsOpened > limits.patternsOpen) {
      // What is needed is read again.
      this.#opened = new Lru(limits.patternBooksOpen);
      this.#patternsOpened = 0;
    }
    return patterns;
  }
}

/** Of the words that it has, whatever stands between them. */
function fingerprintOf({ trigger, advice }: Pick<Pattern, 'trigger' | 'advice'>): string {
  const said = [
    trigger.text,
    [...trigger.tools].sort().join(' '),
    [...trigger.models].sort().join(' '),
    advice,
  ];
  const words = said.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  );
  return `text ${createHash('sha256').update(words.join('\n')).digest('base64url')}`;
}
