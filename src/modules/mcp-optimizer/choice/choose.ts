import { namesIn } from './prepared-tool.ts';
import { isSmallTalk } from './small-talk.ts';
import { isTelling } from './telling.ts';
import type { ReadText, ToolList } from './tool-list.ts';

/** What is kept of a list of tools. */
export interface Choice {
  /** Places in the list. */
  readonly kept: ReadonlySet<number>;
  /** Whether all are kept since the request tells too little. */
  readonly isVague: boolean;
  /** Whether few are kept since nothing was asked for yet. */
  readonly isSmallTalk: boolean;
}

/** Chooses the tools that a conversation may need; `always` are kept in any case. */
export function choose(list: ToolList, request: readonly ReadText[], always: Iterable<number> = []): Choice {
  const everything = new Set(list.tools.keys());
  const isTalk = request.length > 0 && request.every(({ text }) => isSmallTalk(text));
  if (!isTalk && !request.some(({ text }) => isTelling(text)))
    return { kept: everything, isVague: true, isSmallTalk: false };
  const scores = raised(list, list.scores(request));
  const kept = new Set(always);
  const least = cutOf(scores);
  for (let at = 0; at < scores.length; at++) if ((scores[at] ?? 0) >= least) kept.add(at);
  for (const at of bestOf(scores, Math.ceil(scores.length * bestShare))) kept.add(at);
  for (const at of generalOf(list, scores)) kept.add(at);
  // A set grows while it is walked through: what is named by what is named comes along, too.
  for (const at of kept) for (const other of list.namedBy(at)) kept.add(other);
  return { kept, isVague: false, isSmallTalk: isTalk };
}

/** The best of those left out, for a request in other words: what it names, then what fits. */
export function found(
  list: ToolList,
  request: readonly ReadText[],
  among: ReadonlySet<number>,
): readonly number[] {
  const named = request.flatMap(({ text }) => list.namedIn(namesIn(text)));
  const best = new Set([...named, ...ranked(list.scores(request))].filter((at) => among.has(at)));
  const most = Math.min(Math.max(foundShare * list.tools.length, foundMost.few), foundMost.many);
  return [...best].slice(0, most);
}

/** So many that are best; of those that are as good as the last of them, the first. */
function bestOf(scores: Float32Array, count: number): readonly number[] {
  const last = scores.toSorted()[scores.length - count] ?? 0;
  const better: number[] = [];
  const asGood: number[] = [];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? 0;
    if (score > last) better.push(at);
    else if (score === last) asGood.push(at);
  }
  return [...better, ...asGood.slice(0, count - better.length)];
}

/** Tools for anything, the best of them where there are many. */
function generalOf(list: ToolList, scores: Float32Array): readonly number[] {
  const most = Math.floor(Math.max(generalLeast, scores.length * generalShare));
  const general = list.forAnything;
  if (general.length <= most) return general;
  return general.toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, most);
}

/** Tools that one search brings back, most of them in a line: more where there are thousands. */
const foundShare = 0.04;
const foundMost = { few: 64, many: 128 };

/** The least score that is kept. Where some tool fits well, the others have to fit better, too. */
function cutOf(scores: Float32Array): number {
  const top = scores.reduce((most, score) => Math.max(most, score), 0);
  return cut.least + cut.rise * Math.max(0, top - cut.risesFrom);
}

/** Where a tool that was needed is kept 99 times of 100, on requests of several kinds: docs/modules/mcp-optimizer.md has the curve. */
const cut = { least: 0.12, rise: 0.05, risesFrom: 0.3 };
/** So many are kept however little they fit: a request in words of its own has its tool among the best. */
const bestShare = 0.02;
/** Tools for anything are kept whatever the request is; where most of a list are, they are none. */
const generalShare = 0.05;
const generalLeast = 4;
/** How much a tool of a server that is needed is raised, and from which score of the best of them on. */
const siblings = { lift: 0.25, from: 0.4 };

/** A server's tools are used together: with the best of them, the others go up. */
function raised(list: ToolList, scores: Float32Array): Float32Array {
  const lifted = scores.slice();
  for (const group of list.servers) {
    const best = group.reduce((most, at) => Math.max(most, scores[at] ?? 0), 0);
    const lift = siblings.lift * Math.max(0, best - siblings.from);
    for (const at of group) lifted[at] = (scores[at] ?? 0) + (scores[at] === best ? 0 : lift);
  }
  return lifted;
}

function ranked(scores: Float32Array): number[] {
  return [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
}
