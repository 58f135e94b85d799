import { setImmediate } from 'node:timers/promises';
import type { Exchange, KeptAnswer, KeptAnswers, Kit } from '../../module-api.ts';
import type { Asked } from './asked.ts';
import { isServed, learntChance, wrongMax } from './bound.ts';
import { crowdSearch, doubtOfCrowd } from './crowd.ts';
import { isWorthJudging, judgedWrong, nearest, type Survivor } from './decision.ts';
import type { Ledger } from './ledger.ts';
import type { Options } from './options.ts';
import type { ReadPrompts } from './text/read-prompts.ts';
import type { Prompt } from './text/reading/prompt.ts';

/** What a call may wait for all of it together: under 300 ms, with what is done in between. */
const patienceMs = 280;
/** Of the nearest, so many are looked at; the judge is asked about one. */
const candidatesMax = 8;
/** What a fresh entry needs; one that proved itself may be judged with less. */
const widest = 3.3;

export interface Found {
  readonly id: string;
  readonly part: string;
  readonly answer: KeptAnswer;
  /** How likely it is wrong, by the judge alone and with what was learnt. */
  readonly judged: number;
  readonly wrong: number;
  readonly isServed: boolean;
}

export interface LookedUp {
  readonly found?: Found;
  /** Why it wasn't looked for: what is asked isn't to be answered from memory. */
  readonly skipped?: string;
  /** What was missing to look for it. */
  readonly aside?: string;
}

interface Memories {
  readonly answers: KeptAnswers;
  readonly ledger: Ledger;
  readonly prompts: ReadPrompts;
}

interface Candidate {
  readonly id: string;
  readonly cosine: number;
  readonly answer: KeptAnswer;
  readonly text: string;
}

/** Looks for an answer to a prompt that means the same. Nothing that it needs can make the call fail or wait for long. */
export async function lookUp(
  { words, bypass }: Asked,
  exchange: Exchange,
  kit: Kit<Options>,
  { answers, ledger, prompts }: Memories,
): Promise<LookedUp> {
  if (words === undefined) return { skipped: bypass ?? 'turn' };
  const until = performance.now() + patienceMs;
  const left = () => Math.max(1, until - performance.now());
  const { text, prompt, part } = words;
  const { error, threshold, tokens_max: tokensMax } = kit.options;
  const embedded = await kit.embed.one(text, { use: 'judging', tokensMax, deadlineMs: left() });
  if (embedded.vector === undefined)
    return embedded.why === 'long' ? { skipped: 'long' } : { aside: embedded.why };
  const near = await kit.vectors.search(embedded.vector, {
    part,
    most: candidatesMax,
    least: threshold,
    deadlineMs: left(),
  });
  if (near.found === undefined) return { aside: near.why };
  const candidates = await Promise.all(
    near.found.map(async ({ id, cosine }): Promise<Candidate | undefined> => {
      const answer = await answers.find(kit.cache, id, exchange.received);
      const old = answer?.facts.text;
      return answer !== undefined && typeof old === 'string' ? { id, cosine, answer, text: old } : undefined;
    }),
  );
  const survivor = await nearestOf(
    prompt,
    candidates.filter((one) => one !== undefined),
    prompts,
  );
  if (survivor === undefined) return {};
  const { doubt } = survivor;
  const { id, cosine, answer, text: before } = survivor.candidate;
  const entry = await ledger.entry(kit.cache, id);
  if (entry.closed) return { skipped: 'closed' };
  let judged = survivor.wrong;
  if (judged === undefined) {
    if (!isWorthJudging({ cosine, doubt }, widest * wrongMax(error))) return {};
    // The judge is another process: what lies around is looked for while it reads.
    const [{ logits, why }, around] = await Promise.all([
      kit.embed.sameAnswer([{ before, now: text }], { deadlineMs: left() }),
      kit.vectors.search(embedded.vector, { part, ...crowdSearch, deadlineMs: left() }),
    ]);
    const [logit] = logits ?? [];
    if (logit === undefined) return why === undefined ? { skipped: 'long' } : { aside: why };
    if (around.found === undefined) return { aside: around.why };
    judged = judgedWrong({ logit, cosine, doubt: doubt + doubtOfCrowd(cosine, around.found) });
  }
  const wrong = learntChance(judged, { scope: await ledger.scope(kit.scope, kit.store), entry });
  return { found: { id, part, answer, judged, wrong, isServed: isServed(wrong, error) } };
}

/** One at a time: to read eight prompts takes milliseconds, and other calls get their turn in between. */
async function nearestOf(
  prompt: Prompt,
  candidates: readonly Candidate[],
  prompts: ReadPrompts,
): Promise<Survivor<Candidate> | undefined> {
  for (const candidate of candidates) {
    const survivor = nearest(prompt, [candidate], prompts);
    if (survivor !== undefined) return survivor;
    await setImmediate();
  }
  return undefined;
}

/** For what is stored later, which nobody waits for. */
export const unhurried = { use: 'judging', deadlineMs: 15_000 } as const;
