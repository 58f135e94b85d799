import { type ChatRequest, isClean, type Kit, type Pattern, plain } from '../../module-api.ts';
import { type Lesson, lessonsIn } from './lessons.ts';
import { limits } from './limits.ts';
import type { PatternsOptions } from './options.ts';
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

/** Nearer than this two say the same. */
const sameCosine = 0.92;

/** What a call shows, looked at when it is over. */
export async function learn(learnt: Learnt, kit: Kit<PatternsOptions>): Promise<void> {
  const { request, conversation, from } = learnt;
  if (Number.isFinite(from)) {
    const verdict = seemsIn(request.messages, from, kit.options.signals);
    if (verdict.good + verdict.bad > 0) await kit.patterns.seems(conversation, verdict);
  }
  if (kit.options.forge === 'off') return;
  for (const lesson of lessonsIn(request)) await forge(lesson, learnt, kit);
}

async function forge(lesson: Lesson, learnt: Learnt, kit: Kit<PatternsOptions>): Promise<void> {
  const { id, request, conversation, person } = learnt;
  const open = await kit.patterns.open();
  const isKnown = open.some(({ fingerprint }) => fingerprint === lesson.fingerprint);
  const advice =
    kit.options.forge === 'model' && !isKnown ? await worded(lesson, request.model, kit) : lesson.advice;
  await kit.patterns.forge({
    ...lesson,
    advice,
    scope: person,
    requestId: id,
    conversation,
    ...(!isKnown && { sameAs: await sameAs(lesson, person, kit) }),
  });
}

/** One about the same thing in other words. */
async function sameAs(
  lesson: Lesson,
  person: string | null,
  kit: Kit<PatternsOptions>,
): Promise<string | undefined> {
  const { text } = lesson.trigger;
  if (text === '') return undefined;
  const { vector } = await kit.embed.one(text);
  const near = vector && (await kit.vectors.search(vector, { most: 3, least: sameCosine }));
  const ids = new Set(near?.found?.map(({ id }) => id));
  const open = await kit.patterns.open();
  const said = await kit.embed.one(lesson.advice);
  const isMeant = ({ id, origin, scope }: Pattern) =>
    ids.has(id) && origin === 'forge' && (scope === null || scope === person);
  for (const one of open.filter(isMeant)) {
    const other = await kit.embed.one(one.advice);
    if (said.vector && other.vector && cosineOf(said.vector.values, other.vector.values) >= sameCosine)
      return one.id;
  }
  return undefined;
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
