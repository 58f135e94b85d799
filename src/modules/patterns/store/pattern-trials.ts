import { defineCollection, type Entry, type ModuleStore, type NewEntry } from '../../../module-api.ts';
import type { Gist, JudgedTrial, Outcome, PatternTrial, Verdict } from '../pattern.ts';
import { limits } from './limits.ts';

const lifeSeconds = limits.patternTrialLifeMs / 1000;

/** The conversations of calls. */
const calls = defineCollection<null, { readonly conversation: 'text1' }>({
  name: 'calls',
  fields: { conversation: 'text1' },
  lifeSeconds,
});
/** The topics of conversations. */
const gists = defineCollection<Gist, Record<never, never>>({ name: 'gists', fields: {}, lifeSeconds });

interface Scores {
  readonly goodMilli: number;
  readonly badMilli: number;
}

const trialFields = { conversation: 'text1', patternId: 'text2' } as const;
export const trialsCollection = defineCollection<Scores & { readonly heldOut: 0 | 1 }, typeof trialFields>({
  name: 'trials',
  fields: trialFields,
  lifeSeconds,
});
export type StoredTrial = Entry<Scores & { readonly heldOut: 0 | 1 }, typeof trialFields>;

const outcomeFields = { conversation: 'text1', requestId: 'text2' } as const;
const outcomes = defineCollection<Scores & { readonly note: string }, typeof outcomeFields>({
  name: 'outcomes',
  fields: outcomeFields,
  lifeSeconds,
});

export const trialCollections = [calls, gists, trialsCollection, outcomes];

/** The evidence for patterns: calls, their conversations, the trials in them, and their outcomes. */
export class PatternTrials {
  readonly #storeOf: (owner: string) => ModuleStore;

  constructor(storeOf: (owner: string) => ModuleStore) {
    this.#storeOf = storeOf;
  }

  /** Stores the conversation of a call. */
  async recordCall(owner: string, requestId: string, conversation: string): Promise<void> {
    await this.#storeOf(owner).collection(calls).put(requestId, { value: null, fields: { conversation } }, 0);
  }

  async conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return (await this.#storeOf(owner).collection(calls).get(requestId))?.fields.conversation ?? undefined;
  }

  /** One of its calls; undefined if there is no such conversation. */
  async callOf(owner: string, conversation: string): Promise<string | undefined> {
    if (conversation.length > limits.conversationCharactersMax) return undefined;
    const { entries } = await this.#storeOf(owner)
      .collection(calls)
      .list({ where: { conversation }, limit: 1 });
    return entries[0]?.key;
  }

  /** Keeps an existing topic of a conversation. */
  async recordGist(owner: string, conversation: string, gist: Gist): Promise<void> {
    await this.#storeOf(owner).collection(gists).put(conversation, { value: gist, fields: {} }, 0);
  }

  async gist(owner: string, conversation: string): Promise<Gist | undefined> {
    return (await this.#storeOf(owner).collection(gists).get(conversation))?.value;
  }

  /** Keeps an existing trial of a pattern in a conversation. */
  async recordTrials(owner: string, conversation: string, trials: readonly PatternTrial[]): Promise<void> {
    const entries = this.#storeOf(owner).collection(trialsCollection);
    for (const { patternId, isHeldOut } of trials) {
      const value = { heldOut: isHeldOut ? 1 : 0, goodMilli: 0, badMilli: 0 } as const;
      await entries.put(`${conversation} ${patternId}`, { value, fields: { conversation, patternId } }, 0);
    }
  }

  async of(owner: string, conversation: string): Promise<readonly StoredTrial[]> {
    const { entries } = await this.#storeOf(owner)
      .collection(trialsCollection)
      .query({ where: { conversation } });
    return entries;
  }

  /** Replaces an earlier outcome of the same source. */
  async addOutcome(owner: string, conversation: string, outcome: Outcome): Promise<void> {
    const { requestId, note } = outcome;
    const entry = { value: { ...scoresOf(outcome), note }, fields: { conversation, requestId } };
    await this.#storeOf(owner).collection(outcomes).put(`${conversation} ${requestId}`, entry);
  }

  async outcomes(owner: string, conversation: string): Promise<readonly Outcome[]> {
    const { entries } = await this.#storeOf(owner).collection(outcomes).query({ where: { conversation } });
    return entries.map(({ fields: { requestId }, value }) => ({
      requestId: requestId ?? '',
      note: value.note,
      ...verdictOf(value),
    }));
  }
}

interface TrialChange {
  readonly stored: StoredTrial;
  readonly entry: NewEntry<StoredTrial['value'], typeof trialFields>;
  readonly trial: JudgedTrial;
}

/** The trial with a verdict; undefined if it has it already. */
export function withVerdict(stored: StoredTrial, verdict: Verdict): TrialChange | undefined {
  const { value, fields, expiresAtMs } = stored;
  const now = scoresOf(verdict);
  if (value.goodMilli === now.goodMilli && value.badMilli === now.badMilli) return undefined;
  return {
    stored,
    entry: { value: { ...value, ...now }, fields, expiresAtMs },
    trial: {
      patternId: fields.patternId ?? '',
      isHeldOut: value.heldOut === 1,
      before: verdictOf(value),
      now: verdictOf(now),
    },
  };
}

function scoresOf({ good, bad }: Verdict): Scores {
  return { goodMilli: Math.round(good * 1000), badMilli: Math.round(bad * 1000) };
}

function verdictOf({ goodMilli, badMilli }: Scores): Verdict {
  return { good: goodMilli / 1000, bad: badMilli / 1000 };
}
