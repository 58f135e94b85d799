import {
  accountScope,
  type ChatRequest,
  contentWords,
  isClean,
  isFromWords,
  isTurned,
  type Kit,
  type Pattern,
  plain,
  unnamedScope,
  vectorPartOf,
} from '../../module-api.ts';
import { type Lesson, lessonsIn } from './lessons.ts';
import { limits } from './limits.ts';
import type { PatternsOptions } from './options.ts';
import { spokenWords } from './own-words.ts';
import { seemsIn } from './signals.ts';

interface Learnt {
  readonly id: string;
  readonly request: ChatRequest;
  readonly conversation: string;
  /** The end user whom it is for, or those who aren't named; null where all of them are one. */
  readonly person: string | null;
  /** The message from which on patterns are on trial in it; infinite where none is. */
  readonly from: number;
}

/** Nearer than this two are about the same kind of task. */
const sameTrigger = 0.6;
/** What the judge says of two that say the same; vectors can't tell that from the opposite. Measured in docs/patterns.md. */
const surely = 2;
/** Nobody waits for it. */
const unhurried = { deadlineMs: 15_000 } as const;

/** What a call shows, looked at when it is over. */
export async function learn(learnt: Learnt, kit: Kit<PatternsOptions>): Promise<void> {
  const { request, conversation, person, from } = learnt;
  if (Number.isFinite(from)) {
    const verdict = seemsIn(request.messages, from, kit.options.signals);
    if (verdict.good + verdict.bad > 0) await kit.patterns.seems(conversation, verdict);
  }
  if (kit.options.forge === 'off') return;
  await rememberAbout(learnt, kit);
  let wordings = kit.options.forge === 'model' ? limits.wordingsMax : 0;
  const lessons = lessonsIn(request);
  // What a stranger says is advice for nobody.
  for (const lesson of person === unnamedScope ? lessons.filter((one) => !isFromWords(one)) : lessons)
    if (await forge(lesson, learnt, { kit, isWorded: wordings > 0 })) wordings--;
}

/** What a conversation is about is told by how it begins. */
async function rememberAbout(
  { request: { messages }, conversation, person }: Learnt,
  kit: Kit<PatternsOptions>,
): Promise<void> {
  if (person === unnamedScope || messages.some(({ role }) => role === 'assistant')) return;
  const said = messages.map(spokenWords).find((text) => text !== '') ?? '';
  const about = plain(said, limits.correctionCharactersMax);
  if (contentWords(about).length >= 2 && isClean(about))
    await kit.patterns.isAbout(conversation, { about, scope: person ?? accountScope });
}

/** True where a model was asked to word it. */
async function forge(
  lesson: Lesson,
  { id, request, conversation, person }: Learnt,
  { kit, isWorded }: { readonly kit: Kit<PatternsOptions>; readonly isWorded: boolean },
): Promise<boolean> {
  const found = { ...lesson, scope: person, requestId: id, conversation };
  if (await kit.patterns.knows(found)) {
    await kit.patterns.forge(found);
    return false;
  }
  const same = await sameAs(lesson, person, kit);
  const asks = isWorded && same === undefined;
  const advice = asks ? await worded(lesson, request.model, kit) : lesson.advice;
  await kit.patterns.forge({ ...found, advice, sameAs: same });
  return asks;
}

/** One about the same thing in other words, of the same end user or of all: the judge has to be sure of it, both ways. */
async function sameAs(
  lesson: Lesson,
  person: string | null,
  kit: Kit<PatternsOptions>,
): Promise<string | undefined> {
  const { text } = lesson.trigger;
  if (text === '') return undefined;
  const { vector } = await kit.embed.one(text, unhurried);
  if (vector === undefined) return undefined;
  const said = saidIn(lesson.advice);
  const open = await kit.patterns.open();
  for (const scope of new Set([person, null])) {
    const question = { part: vectorPartOf(scope), most: limits.sameMost, least: sameTrigger };
    const { found } = await kit.vectors.search(vector, question);
    const near = new Set(found?.map(({ id }) => id));
    for (const one of open.filter((other) => isMeant(other, scope, near)))
      if (await isSame(saidIn(one.advice), said, kit)) return one.id;
  }
  return undefined;
}

/** What is said with two words turned around is near in every vector, and the opposite. */
async function isSame(before: string, now: string, kit: Kit<PatternsOptions>): Promise<boolean> {
  if (isTurned(before, now)) return false;
  const pairs = [
    { before, now },
    { before: now, now: before },
  ];
  const { logits } = await kit.embed.sameAnswer(pairs, unhurried);
  return logits?.every((logit) => logit !== undefined && logit >= surely) === true;
}

/** The person's own words in an advice. */
function saidIn(advice: string): string {
  return /"(.*)"/.exec(advice)?.[1] ?? advice;
}

function isMeant({ id, origin, scope }: Pattern, wanted: string | null, near: ReadonlySet<string>): boolean {
  return origin === 'forge' && scope === wanted && near.has(id);
}

/**
 * By a model, which sees nothing but the lesson: names that a tool declares, shapes, kinds of failures, a person's own
 * words. Where it can't be asked, or says what may not be kept, the lesson is worded as it is without one.
 */
async function worded({ advice }: Lesson, asked: string, kit: Kit<PatternsOptions>): Promise<string> {
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
    const line = plain(said, limits.adviceCharactersMax);
    return line !== '' && isClean(line) ? line : advice;
  } catch {
    return advice;
  }
}
