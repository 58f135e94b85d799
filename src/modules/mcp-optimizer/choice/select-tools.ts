import { isInformative } from './informative-text.ts';
import { extractToolNames } from './prepared-tool.ts';
import { isSmallTalk } from './small-talk.ts';
import type { EmbeddedRequestText, ToolList } from './tool-list.ts';

/** What is kept of a list of tools. */
export interface ToolSelection {
  /** Places in the list. */
  readonly selected: ReadonlySet<number>;
  /** Whether all are kept since the request tells too little. */
  readonly isVague: boolean;
  /** Whether few are kept since nothing was asked for yet. */
  readonly isSmallTalk: boolean;
}

/** Chooses the tools that a conversation may need; `always` are kept in any case. */
export function selectTools(
  list: ToolList,
  request: readonly EmbeddedRequestText[],
  always: Iterable<number> = [],
): ToolSelection {
  const everything = new Set(list.tools.keys());
  const isTalk = request.length > 0 && request.every(({ text }) => isSmallTalk(text));
  if (!isTalk && !request.some(({ text }) => isInformative(text)))
    return { selected: everything, isVague: true, isSmallTalk: false };
  const scores = boostSiblings(list, list.scores(request));
  const selected = new Set(always);
  const least = scoreThreshold(scores);
  for (let at = 0; at < scores.length; at++) if ((scores[at] ?? 0) >= least) selected.add(at);
  for (const at of topScored(scores, Math.ceil(scores.length * bestShare))) selected.add(at);
  for (const at of topGeneralPurpose(list, scores)) selected.add(at);
  // A set grows while it is walked through: what is named by what is named comes along, too.
  for (const at of selected) for (const other of list.indexesMentionedBy(at)) selected.add(other);
  return { selected, isVague: false, isSmallTalk: isTalk };
}

/** The best of those left out, for a request in other words: what it names, then what fits. */
export function searchTools(
  list: ToolList,
  request: readonly EmbeddedRequestText[],
  among: ReadonlySet<number>,
): readonly number[] {
  const named = request.flatMap(({ text }) => list.indexesNamed(extractToolNames(text)));
  const best = new Set([...named, ...rankByScore(list.scores(request))].filter((at) => among.has(at)));
  const most = Math.min(
    Math.max(searchResultsShare * list.tools.length, searchResultsMax.few),
    searchResultsMax.many,
  );
  return [...best].slice(0, most);
}

/** So many that are best; of those that are as good as the last of them, the first. */
function topScored(scores: Float32Array, count: number): readonly number[] {
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
function topGeneralPurpose(list: ToolList, scores: Float32Array): readonly number[] {
  const most = Math.floor(Math.max(generalLeast, scores.length * generalShare));
  const general = list.generalPurpose;
  if (general.length <= most) return general;
  return general.toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, most);
}

/** Tools that one search brings back, most of them in a line: more where there are thousands. */
const searchResultsShare = 0.04;
const searchResultsMax = { few: 64, many: 128 };

/** The least score that is kept. Where some tool fits well, the others have to fit better, too. */
function scoreThreshold(scores: Float32Array): number {
  const top = scores.reduce((most, score) => Math.max(most, score), 0);
  return thresholdCurve.least + thresholdCurve.rise * Math.max(0, top - thresholdCurve.risesFrom);
}

/** Where a tool that was needed is kept 99 times of 100, on requests of several kinds: docs/modules/mcp-optimizer.md has the curve. */
const thresholdCurve = { least: 0.12, rise: 0.05, risesFrom: 0.3 };
/** So many are kept however little they fit: a request in words of its own has its tool among the best. */
const bestShare = 0.02;
/** Tools for anything are kept whatever the request is; where most of a list are, they are none. */
const generalShare = 0.05;
const generalLeast = 4;
/** How much a tool of a server that is needed is raised, and from which score of the best of them on. */
const siblings = { lift: 0.25, from: 0.4 };

/** A server's tools are used together: with the best of them, the others go up. */
function boostSiblings(list: ToolList, scores: Float32Array): Float32Array {
  const lifted = scores.slice();
  for (const group of list.servers) {
    const best = group.reduce((most, at) => Math.max(most, scores[at] ?? 0), 0);
    const lift = siblings.lift * Math.max(0, best - siblings.from);
    for (const at of group) lifted[at] = (scores[at] ?? 0) + (scores[at] === best ? 0 : lift);
  }
  return lifted;
}

function rankByScore(scores: Float32Array): number[] {
  return [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
}
