import { referenceKinds, refersTo } from './general-purpose.ts';
import { isInformative } from './informative-text.ts';
import { extractToolNames, type PreparedTool } from './prepared-tool.ts';
import { isSmallTalk } from './small-talk.ts';
import type { EmbeddedRequestText, ToolList } from './tool-list.ts';

/** The tools selected from a list. */
export interface ToolSelection {
  /** Indexes in the list. */
  readonly selected: ReadonlySet<number>;
  /** Whether all are selected because the request is too vague. */
  readonly isVague: boolean;
  /** Whether few are selected because there was only small talk. */
  readonly isSmallTalk: boolean;
}

/** Selects the tools that a conversation may need; `always` are always selected. */
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
  for (const at of topOf(list, scores, ({ isGeneralPurpose }) => isGeneralPurpose)) selected.add(at);
  for (const kind of referenceKinds.filter((one) => request.some(({ text }) => refersTo(one, text))))
    for (const at of topOf(list, scores, ({ opens }) => opens === kind)) selected.add(at);
  // The set grows during the iteration, so mentions are followed transitively.
  for (const at of selected) for (const other of list.indexesMentionedBy(at)) selected.add(other);
  return { selected, isVague: false, isSmallTalk: isTalk };
}

/** The omitted tools for a query, best first: those it names, then those that match; siblings of the first few follow them. */
export function searchTools(
  list: ToolList,
  request: readonly EmbeddedRequestText[],
  { among, first }: { readonly among: ReadonlySet<number>; readonly first: number },
): readonly number[] {
  const named = request.flatMap(({ text }) => list.indexesNamed(extractToolNames(text)));
  const ranked = [...new Set([...named, ...rankByScore(list.scores(request))])].filter((at) => among.has(at));
  const found = new Set(ranked.slice(0, first));
  const related = new Set(list.families.filter((family) => family.some((at) => found.has(at))).flat());
  return [...new Set([...found, ...ranked.filter((at) => related.has(at)), ...ranked])];
}

/** The `count` best scores; among equal ones, the first. */
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

/** The tools of a kind, limited to the best if there are many. */
function topOf(
  list: ToolList,
  scores: Float32Array,
  isOfKind: (tool: PreparedTool) => boolean,
): readonly number[] {
  const most = Math.floor(Math.max(ofKindMin, scores.length * ofKindShare));
  const ofKind = [...list.tools.keys()].filter((at) => {
    const tool = list.tools[at];
    return tool !== undefined && isOfKind(tool);
  });
  return ofKind.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, most);
}

/** The minimum score to be selected, which rises if some tool matches well. */
function scoreThreshold(scores: Float32Array): number {
  const top = scores.reduce((most, score) => Math.max(most, score), 0);
  return thresholdCurve.least + thresholdCurve.rise * Math.max(0, top - thresholdCurve.risesFrom);
}

/** Selects a needed tool in 99 of 100 requests of several kinds: docs/how-it-works/mcp-optimizer.md has the curve. */
const thresholdCurve = { least: 0.12, rise: 0.05, risesFrom: 0.3 };
/** The share of best tools selected regardless of score, for requests in unusual words. */
const bestShare = 0.02;
/** The maximum share of general-purpose tools selected for any request, and of tools that open what it refers to. */
const ofKindShare = 0.05;
const ofKindMin = 4;
/** The boost for tools of a needed family, and the score of its best tool from which it applies. */
const siblings = { lift: 1, from: 0.15 };

/** Tools of a family are often used together, so a high score raises its siblings. */
function boostSiblings(list: ToolList, scores: Float32Array): Float32Array {
  const lifted = scores.slice();
  for (const group of list.families) {
    const best = group.reduce((most, at) => Math.max(most, scores[at] ?? 0), 0);
    const lift = siblings.lift * Math.max(0, best - siblings.from);
    for (const at of group) lifted[at] = (scores[at] ?? 0) + (scores[at] === best ? 0 : lift);
  }
  return lifted;
}

function rankByScore(scores: Float32Array): number[] {
  return [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
}
