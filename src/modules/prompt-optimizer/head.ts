import {
  type ChatRequest,
  digestOfMessage,
  digestOfSystem,
  digestOfText,
  digestOfTools,
  type Exchange,
  Lru,
  type TextBlock,
} from '../../module-api.ts';
import {
  cachedHeadsMax,
  digestedLinesMax,
  headChars,
  systemCharsMax,
  volatileCharsMax,
  volatileValuesMax,
} from './limits.ts';
import { endOfLines } from './lines.ts';
import { findVolatileValues } from './volatile-values.ts';

/** The tools of a request. */
export interface ToolSummary {
  /** The same in any order. */
  readonly set: string;
  /** A name and a short digest each, in order. */
  readonly list: readonly (readonly [string, string])[];
}

/** The instructions of a request. */
export interface SystemSummary {
  /** A digest of the instructions without their values. */
  readonly shape: string;
  /** Identifies the application, even if other parts of its instructions differ. */
  readonly start: string;
  /** The values; undefined if there are too many. */
  readonly values: readonly string[] | undefined;
  /** A short digest of each line. */
  readonly lines: readonly string[];
}

/** Summaries of recent tool lists and instructions, by their digests. */
const toolSummaries = new Lru<ToolSummary>(cachedHeadsMax);
const systemSummaries = new Lru<SystemSummary>(cachedHeadsMax);

export function summarizeTools(request: ChatRequest): ToolSummary {
  const { tools = [] } = request;
  const key = digestOfTools(request);
  const known = toolSummaries.get(key);
  if (known !== undefined) return known;
  const list = tools.map((tool) => [tool.name, shortDigest(digestOfTools({ tools: [tool] }))] as const);
  const set = digestOfText(JSON.stringify(list.map((entry) => entry.join(' ')).sort()));
  const summary = { set, list };
  toolSummaries.set(key, summary);
  return summary;
}

export function summarizeSystem({ request, clientRequest }: Exchange): SystemSummary {
  const key = digestOfSystem(request, clientRequest.wire.attribution);
  const known = systemSummaries.get(key);
  if (known !== undefined) return known;
  const texts = editableTexts(request, clientRequest.wire.attribution);
  const whole = texts.join('\n\0\n');
  const isLong = whole.length > systemCharsMax;
  const { shape, values } = isLong ? { shape: whole, values: [] } : findVolatileValues(whole);
  const isBounded =
    !isLong &&
    values.length <= volatileValuesMax &&
    values.reduce((sum, value) => sum + value.length, 0) <= volatileCharsMax;
  const summary = {
    shape: digestOfText(shape),
    start: digestOfText(shape.slice(0, headChars)),
    values: isBounded ? values : undefined,
    lines: digestsOfLines(texts.join('\n')),
  };
  systemSummaries.set(key, summary);
  return summary;
}

/** Of each line, and of those beyond a limit together: a megabyte of short lines would take a third of a second. */
function digestsOfLines(text: string): readonly string[] {
  const end = endOfLines(text, digestedLinesMax);
  const lines = text.slice(0, end).split('\n');
  const rest = end === undefined ? [] : [text.slice(end + 1)];
  return [...lines, ...rest].map((line) => shortDigest(digestOfText(line)));
}

/** The texts of the instructions, without the block in which an agent identifies itself. */
function editableTexts({ system }: ChatRequest, attribution: string | undefined): readonly string[] {
  if (system === undefined) return [];
  if (typeof system === 'string') return [system];
  return system.filter((block) => isEditable(block, attribution)).map(({ text }) => text);
}

function isEditable({ text }: TextBlock, attribution: string | undefined): boolean {
  return typeof text === 'string' && !(attribution !== undefined && text.startsWith(attribution));
}

/** Instructions with each text mapped, except where an agent identifies itself. */
export function mapSystem(
  { request: { system }, clientRequest }: Exchange,
  map: (text: string) => string,
): ChatRequest['system'] {
  if (system === undefined || typeof system === 'string') return system === undefined ? system : map(system);
  const { attribution } = clientRequest.wire;
  return system.map((block) =>
    isEditable(block, attribution) ? { ...block, text: map(block.text) } : block,
  );
}

/** A digest of the first messages of a conversation, under the same instructions, for one end user and target. */
export function digestOfCall(
  { request: { messages } }: Exchange,
  count: number,
  identity: readonly (string | null)[],
): string {
  const digests = messages.slice(0, count).map(digestOfMessage);
  return digestOfText(JSON.stringify([...identity, ...digests]));
}

/** Enough to tell a change from its absence. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 6);
}
