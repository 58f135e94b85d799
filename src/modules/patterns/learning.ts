import {
  type ChatRequest,
  contentWords,
  isFreeOfSecrets,
  isReordered,
  type Kit,
  toPlainLine,
  userOnlyTextOf,
} from '../../module-api.ts';
import { extractLessons, type Lesson } from './lessons.ts';
import { limits } from './limits.ts';
import type { PatternsOptions } from './options.ts';
import type { Pattern, Patterns } from './pattern.ts';
import { accountScope, isFromUserText, unnamedScope } from './scopes.ts';
import { scoreConversation } from './signals.ts';
import { vectorPartitionOf } from './vector-partition.ts';

interface FinishedCall {
  readonly id: string;
  readonly request: ChatRequest;
  readonly conversation: string;
  /** The scope of the end user, or of all unnamed ones; null with `scope=account`. */
  readonly person: string | null;
  /** The index of the first message with a pattern on trial; infinite without one. */
  readonly from: number;
}

/** Minimum similarity of triggers about the same kind of task. */
const sameTriggerCosineMin = 0.6;
/** Minimum judge score for equal advice; vectors can't distinguish it from the opposite. Measured in docs/how-it-works/patterns.md. */
const sameAdviceLogitMin = 2;
/** Runs in the background, so it can wait long. */
const backgroundOptions = { deadlineMs: 15_000 } as const;

/** Learns from a finished call: scores patterns on trial and forges new ones. */
export async function learnFromCall(
  finishedCall: FinishedCall,
  kit: Kit<PatternsOptions>,
  patterns: Patterns,
): Promise<void> {
  const { request, conversation, person, from } = finishedCall;
  if (Number.isFinite(from)) {
    const verdict = scoreConversation(request.messages, from, kit.options.signals);
    if (verdict.good + verdict.bad > 0) await patterns.recordImpliedVerdict(conversation, verdict);
  }
  if (kit.options.forge === 'off') return;
  await storeConversationTopic(finishedCall, patterns);
  let wordings = kit.options.forge === 'model' ? limits.wordingsMax : 0;
  const lessons = extractLessons(request);
  // Text of an unnamed end user must not become advice for others.
  for (const lesson of person === unnamedScope ? lessons.filter((one) => !isFromUserText(one)) : lessons)
    if (await forgePattern(lesson, finishedCall, { kit, patterns, isWorded: wordings > 0 })) wordings--;
}

/** Stores the first user text as the topic of the conversation. */
async function storeConversationTopic(
  { request: { messages }, conversation, person }: FinishedCall,
  patterns: Patterns,
): Promise<void> {
  if (person === unnamedScope || messages.some(({ role }) => role === 'assistant')) return;
  const userText = messages.map(userOnlyTextOf).find((text) => text !== '') ?? '';
  const about = toPlainLine(userText, limits.correctionCharactersMax);
  if (contentWords(about).length >= 2 && isFreeOfSecrets(about))
    await patterns.recordGist(conversation, { about, scope: person ?? accountScope });
}

/** True if a model phrased the advice. */
async function forgePattern(
  lesson: Lesson,
  { id, request, conversation, person }: FinishedCall,
  {
    kit,
    patterns,
    isWorded,
  }: { readonly kit: Kit<PatternsOptions>; readonly patterns: Patterns; readonly isWorded: boolean },
): Promise<boolean> {
  const proposal = { ...lesson, scope: person, requestId: id, conversation };
  if (await patterns.hasPattern(proposal)) {
    await patterns.propose(proposal);
    return false;
  }
  const same = await findSamePattern(lesson, person, { kit, patterns });
  const isPhrased = isWorded && same === undefined;
  const advice = isPhrased ? await phraseWithModel(lesson, request.model, kit) : lesson.advice;
  await patterns.propose({ ...proposal, advice, sameAs: same });
  return isPhrased;
}

/** Finds a pattern with the same advice in other words, of the end user or account-wide. The judge must agree in both directions. */
async function findSamePattern(
  lesson: Lesson,
  person: string | null,
  { kit, patterns }: { readonly kit: Kit<PatternsOptions>; readonly patterns: Patterns },
): Promise<string | undefined> {
  const { text } = lesson.trigger;
  if (text === '') return undefined;
  const { vector } = await kit.embeddings.one(text, backgroundOptions);
  if (vector === undefined) return undefined;
  const quoted = quotedTextOf(lesson.advice);
  const open = await patterns.listUnretired();
  for (const scope of new Set([person, null])) {
    const query = {
      part: vectorPartitionOf(scope),
      most: limits.samePatternCandidatesMax,
      least: sameTriggerCosineMin,
    };
    const { found } = await kit.vectors.search(vector, query);
    const near = new Set(found?.map(({ id }) => id));
    for (const one of open.filter((other) => isForgedNearby(other, scope, near)))
      if (await isSameAdvice(quotedTextOf(one.advice), quoted, kit)) return one.id;
  }
  return undefined;
}

/** Reordered words can mean the opposite although their vectors are close. */
async function isSameAdvice(before: string, now: string, kit: Kit<PatternsOptions>): Promise<boolean> {
  if (isReordered(before, now)) return false;
  const pairs = [
    { before, now },
    { before: now, now: before },
  ];
  const { logits } = await kit.embeddings.sameAnswer(pairs, backgroundOptions);
  return logits?.every((logit) => logit !== undefined && logit >= sameAdviceLogitMin) === true;
}

/** The user's text quoted in an advice. */
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
 * Has a model phrase a lesson. It sees only the lesson: declared names, shapes, kinds of failures, quoted user text. Returns
 * the lesson's own advice if the model fails or its text contains a secret.
 */
async function phraseWithModel(
  { advice }: Lesson,
  callModel: string,
  kit: Kit<PatternsOptions>,
): Promise<string> {
  const target = kit.models.target(kit.options.model ?? callModel);
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
    const text = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
    const line = toPlainLine(text, limits.adviceCharactersMax);
    return line !== '' && isFreeOfSecrets(line) ? line : advice;
  } catch {
    return advice;
  }
}
