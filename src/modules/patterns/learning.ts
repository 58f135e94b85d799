import {
  type ChatRequest,
  contentWords,
  isClean,
  type Kit,
  type Pattern,
  plain,
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
  /** The end user whom it is for; null where lessons are for all of them. */
  readonly person: string | null;
  /** The message from which on patterns are on trial in it; infinite where none is. */
  readonly from: number;
}

/** Nearer than this two are about the same, and say the same. */
const sameTrigger = 0.92;
const sameAdvice = 0.92;
/** Nobody waits for it. */
const unhurried = { deadlineMs: 15_000 } as const;

/** What a call shows, looked at when it is over. */
export async function learn(learnt: Learnt, kit: Kit<PatternsOptions>): Promise<void> {
  const { request, conversation, from } = learnt;
  if (Number.isFinite(from)) {
    const verdict = seemsIn(request.messages, from, kit.options.signals);
    if (verdict.good + verdict.bad > 0) await kit.patterns.seems(conversation, verdict);
  }
  if (kit.options.forge === 'off') return;
  await rememberAbout(learnt, kit);
  let wordings = kit.options.forge === 'model' ? limits.wordingsMax : 0;
  for (const lesson of lessonsIn(request))
    if (await forge(lesson, learnt, { kit, isWorded: wordings > 0 })) wordings--;
}

/** What a conversation is about is told by how it begins. */
async function rememberAbout(
  { request: { messages }, conversation, person }: Learnt,
  kit: Kit<PatternsOptions>,
): Promise<void> {
  if (messages.some(({ role }) => role === 'assistant')) return;
  const said = messages.map(spokenWords).find((text) => text !== '') ?? '';
  const about = plain(said, limits.correctionCharactersMax);
  if (contentWords(about).length >= 2 && isClean(about))
    await kit.patterns.isAbout(conversation, { about, scope: person });
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

/** One about the same thing in other words, of the same end user or of all. */
async function sameAs(
  lesson: Lesson,
  person: string | null,
  kit: Kit<PatternsOptions>,
): Promise<string | undefined> {
  const { text } = lesson.trigger;
  if (text === '') return undefined;
  const { vector } = await kit.embed.one(text, unhurried);
  const said = await kit.embed.one(lesson.advice, unhurried);
  if (vector === undefined || said.vector === undefined) return undefined;
  const open = await kit.patterns.open();
  for (const scope of new Set([person, null])) {
    const { found } = await kit.vectors.search(vector, {
      part: vectorPartOf(scope),
      most: limits.nearMost,
      least: sameTrigger,
    });
    const near = new Set(found?.map(({ id }) => id));
    for (const one of open.filter((other) => isMeant(other, scope, near))) {
      const other = await kit.embed.one(one.advice, unhurried);
      if (other.vector && cosineOf(said.vector.values, other.vector.values) >= sameAdvice) return one.id;
    }
  }
  return undefined;
}

function isMeant({ id, origin, scope }: Pattern, wanted: string | null, near: ReadonlySet<string>): boolean {
  return origin === 'forge' && scope === wanted && near.has(id);
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
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
