import {
  accountScope,
  type ChatRequest,
  contentWords,
  isFreeOfSecrets,
  isFromUserText,
  isReordered,
  type Kit,
  type Pattern,
  toPlainLine,
  unnamedScope,
  vectorPartitionOf,
} from '../../module-api.ts';
import { extractLessons, type Lesson } from './lessons.ts';
import { limits } from './limits.ts';
import type { PatternsOptions } from './options.ts';
import { scoreConversation } from './signals.ts';
import { userOnlyTextOf } from './user-text.ts';

interface FinishedCall {
  readonly id: string;
  readonly request: ChatRequest;
  readonly conversation: string;
  /** The end user whom it is for, or those who aren't named; null where all of them are one. */
  readonly person: string | null;
  /** The message from which on patterns are on trial in it; infinite where none is. */
  readonly from: number;
}

/** Nearer than this two are about the same kind of task. */
const sameTriggerCosineMin = 0.6;
/** What the judge says of two that say the same; vectors can't tell that from the opposite. Measured in docs/patterns.md. */
const sameAdviceLogitMin = 2;
/** Nobody waits for it. */
const backgroundOptions = { deadlineMs: 15_000 } as const;

/** What a call shows, looked at when it is over. */
export async function learnFromCall(finishedCall: FinishedCall, kit: Kit<PatternsOptions>): Promise<void> {
  const { request, conversation, person, from } = finishedCall;
  if (Number.isFinite(from)) {
    const verdict = scoreConversation(request.messages, from, kit.options.signals);
    if (verdict.good + verdict.bad > 0) await kit.patterns.recordImpliedVerdict(conversation, verdict);
  }
  if (kit.options.forge === 'off') return;
  await storeConversationTopic(finishedCall, kit);
  let wordings = kit.options.forge === 'model' ? limits.wordingsMax : 0;
  const lessons = extractLessons(request);
  // What a stranger says is advice for nobody.
  for (const lesson of person === unnamedScope ? lessons.filter((one) => !isFromUserText(one)) : lessons)
    if (await forgePattern(lesson, finishedCall, { kit, isWorded: wordings > 0 })) wordings--;
}

/** What a conversation is about is told by how it begins. */
async function storeConversationTopic(
  { request: { messages }, conversation, person }: FinishedCall,
  kit: Kit<PatternsOptions>,
): Promise<void> {
  if (person === unnamedScope || messages.some(({ role }) => role === 'assistant')) return;
  const said = messages.map(userOnlyTextOf).find((text) => text !== '') ?? '';
  const about = toPlainLine(said, limits.correctionCharactersMax);
  if (contentWords(about).length >= 2 && isFreeOfSecrets(about))
    await kit.patterns.recordGist(conversation, { about, scope: person ?? accountScope });
}

/** True where a model was asked to word it. */
async function forgePattern(
  lesson: Lesson,
  { id, request, conversation, person }: FinishedCall,
  { kit, isWorded }: { readonly kit: Kit<PatternsOptions>; readonly isWorded: boolean },
): Promise<boolean> {
  const found = { ...lesson, scope: person, requestId: id, conversation };
  if (await kit.patterns.hasPattern(found)) {
    await kit.patterns.propose(found);
    return false;
  }
  const same = await findSamePattern(lesson, person, kit);
  const asks = isWorded && same === undefined;
  const advice = asks ? await phraseWithModel(lesson, request.model, kit) : lesson.advice;
  await kit.patterns.propose({ ...found, advice, sameAs: same });
  return asks;
}

/** One about the same thing in other words, of the same end user or of all: the judge has to be sure of it, both ways. */
async function findSamePattern(
  lesson: Lesson,
  person: string | null,
  kit: Kit<PatternsOptions>,
): Promise<string | undefined> {
  const { text } = lesson.trigger;
  if (text === '') return undefined;
  const { vector } = await kit.embeddings.one(text, backgroundOptions);
  if (vector === undefined) return undefined;
  const said = quotedTextOf(lesson.advice);
  const open = await kit.patterns.listUnretired();
  for (const scope of new Set([person, null])) {
    const question = {
      part: vectorPartitionOf(scope),
      most: limits.samePatternCandidatesMax,
      least: sameTriggerCosineMin,
    };
    const { found } = await kit.vectors.search(vector, question);
    const near = new Set(found?.map(({ id }) => id));
    for (const one of open.filter((other) => isForgedNearby(other, scope, near)))
      if (await isSameAdvice(quotedTextOf(one.advice), said, kit)) return one.id;
  }
  return undefined;
}

/** What is said with two words turned around is near in every vector, and the opposite. */
async function isSameAdvice(before: string, now: string, kit: Kit<PatternsOptions>): Promise<boolean> {
  if (isReordered(before, now)) return false;
  const pairs = [
    { before, now },
    { before: now, now: before },
  ];
  const { logits } = await kit.embeddings.sameAnswer(pairs, backgroundOptions);
  return logits?.every((logit) => logit !== undefined && logit >= sameAdviceLogitMin) === true;
}

/** The person's own words in an advice. */
function quotedTextOf(advice: string): string {
  return /"(.*)"/.exec(advice)?.[1] ?? advice;
}

function isForgedNearby(
  { id, origin, scope }: Pattern,
  wanted: string | null,
  near: ReadonlySet<string>,
): boolean {
  return origin === 'forge' && scope === wanted && near.has(id);
}

/**
 * By a model, which sees nothing but the lesson: names that a tool declares, shapes, kinds of failures, a person's own
 * words. Where it can't be asked, or says what may not be kept, the lesson is worded as it is without one.
 */
async function phraseWithModel(
  { advice }: Lesson,
  asked: string,
  kit: Kit<PatternsOptions>,
): Promise<string> {
  const target = kit.models.target(kit.options.model ?? asked);
  if (target === undefined) return advice;
  try {
    const answer = await kit.models.ask(
      {
        system:
          'You turn an observation about an agent at work into one short piece of advice for the next time, in one sentence of at most 40 words. Add nothing that the observation doesn’t say. Answer with the sentence alone.',
        messages: [{ role: 'user', content: `<observation>${advice}</observation>` }],
        max_tokens: 200,
      },
      target,
    );
    const said = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
    const line = toPlainLine(said, limits.adviceCharactersMax);
    return line !== '' && isFreeOfSecrets(line) ? line : advice;
  } catch {
    return advice;
  }
}
