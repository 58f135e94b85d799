import {
  type ChatRequest,
  contentWords,
  type Embeddings,
  type Message,
  type Vectors,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Pattern } from './pattern.ts';
import { type PatternIndex, wordKey } from './pattern-index.ts';
import { vectorPartitionOf } from './vector-partition.ts';

/** Minimum similarity of a pattern's text and the user's text; measured in docs/how-it-works/patterns.md. */
const cosineMin = 0.6;
/** A pattern further behind the nearest one is not relevant. */
const cosineGapMax = 0.1;
/** Minimum share of matching words without vectors. One word is enough if a person wrote the pattern. */
const leastWordShare = 0.75;
const leastWords = 2;
/** The score if the conversation is about a pattern's tool: sufficient alone, but lower than a text match. */
const toolScore = 0.5;

export interface RelevantPattern {
  readonly pattern: Pattern;
  readonly score: number;
}

interface RelevanceQuery {
  readonly request: ChatRequest;
  readonly userText: string;
  readonly scope: string | null;
}

/** Ranks the active patterns relevant to a call, best first. Without vectors, it uses words and tools only. */
export async function rankPatterns(
  index: PatternIndex,
  relevanceQuery: RelevanceQuery,
  kit: { readonly embeddings: Embeddings; readonly vectors: Vectors },
): Promise<{ readonly relevant: readonly RelevantPattern[]; readonly why: string | undefined }> {
  if (index.byId.size === 0) return { relevant: [], why: undefined };
  const { request, userText, scope } = relevanceQuery;
  const scores = new Map<Pattern, number>();
  const add = (pattern: Pattern, score: number) => scores.set(pattern, (scores.get(pattern) ?? 0) + score);
  for (const name of toolsInFocus(request, userText))
    for (const pattern of index.byTool.get(name) ?? []) add(pattern, toolScore);
  for (const [pattern, share] of wordOverlaps(index, { userText, scope })) add(pattern, share);
  const why =
    userText === ''
      ? undefined
      : await addNearPatterns(
          index,
          { userText, scope },
          { embeddings: kit.embeddings, vectors: kit.vectors, add },
        );
  const relevant = [...scores]
    .filter(
      ([pattern]) =>
        (pattern.scope === null || pattern.scope === scope) &&
        matchesModel(pattern, request.model) &&
        usesDeclaredNames(pattern, request),
    )
    .map(([pattern, score]) => ({ pattern, score }))
    .sort((one, other) => other.score - one.score || (one.pattern.id < other.pattern.id ? -1 : 1));
  return { relevant, why };
}

/** The offered tools that the conversation used, or that the user's text is about: most are offered whatever the task is. */
function toolsInFocus({ tools = [], messages }: ChatRequest, userText: string): readonly string[] {
  const used = new Set(messages.flatMap(toolsUsedIn));
  const said = new Set(contentWords(userText));
  const saidStems = new Set([...said].filter(isLong).map(stemOf));
  // Also for stems of two forms of a word: `file` and `fil`, `issue` and `issu`.
  const isSaid = (word: string) =>
    said.has(word) || saidStems.has(word) || (isLong(word) && said.has(stemOf(word)));
  return tools.map(({ name }) => name).filter((name) => used.has(name) || subjectsOf(name).some(isSaid));
}

const isLong = (word: string) => word.length >= 4;
const stemOf = (word: string) => word.slice(0, -1);

function toolsUsedIn({ content }: Message): readonly string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
}

/** What a tool's name is about: `issue` in `mcp__github__create_issue`; its verb if there is nothing else. */
function subjectsOf(name: string): readonly string[] {
  const own = name.slice(Math.max(name.length - toolNameChars, name.lastIndexOf('__') + 1));
  const words = contentWords(own.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[_.-]/g, ' '));
  const subjects = words.filter((word) => !commonVerbs.has(word));
  return subjects.length > 0 ? subjects : words;
}

/** Providers accept shorter names only. */
const toolNameChars = 200;

const commonVerbs: ReadonlySet<string> = new Set(
  contentWords(
    'add call check create delete edit execute fetch find generate list open post put query read remove run search send set show start stop update view write',
  ),
);

function wordOverlaps(
  index: PatternIndex,
  { userText, scope }: Pick<RelevanceQuery, 'userText' | 'scope'>,
): readonly (readonly [Pattern, number])[] {
  const hits = new Map<Pattern, number>();
  for (const word of contentWords(userText))
    for (const one of new Set([null, scope]))
      for (const pattern of index.byWord.get(wordKey(word, one)) ?? [])
        hits.set(pattern, (hits.get(pattern) ?? 0) + 1);
  return [...hits]
    .filter(([{ origin }, count]) => count >= leastWords || origin === 'person')
    .map(([pattern, count]) => [pattern, count / (index.wordCount.get(pattern) ?? count)] as const)
    .filter(([, share]) => share >= leastWordShare);
}

/** Returns the failure reason if there are no vectors. */
async function addNearPatterns(
  { byId, textScopes }: PatternIndex,
  { userText, scope }: Pick<RelevanceQuery, 'userText' | 'scope'>,
  kit: { embeddings: Embeddings; vectors: Vectors; add(pattern: Pattern, score: number): void },
): Promise<string | undefined> {
  const scopes = [...new Set([null, scope])].filter((one) => textScopes.has(one));
  if (scopes.length === 0) return undefined;
  const { vector, why } = await kit.embeddings.one(userText);
  if (vector === undefined) return why;
  const query = { most: limits.nearPatternsMax, least: cosineMin };
  const near = await Promise.all(
    scopes.map((one) => kit.vectors.search(vector, { ...query, part: vectorPartitionOf(one) })),
  );
  const matches = near
    .flatMap(({ found = [] }) => found)
    .flatMap(({ id, cosine }) => ({ pattern: byId.get(id), cosine }))
    .filter(({ pattern }) => pattern !== undefined);
  const best = Math.max(...matches.map(({ cosine }) => cosine));
  for (const { pattern, cosine } of matches)
    if (pattern !== undefined && cosine >= best - cosineGapMax) kit.add(pattern, cosine);
  return near.find((result) => result.why !== undefined)?.why;
}

function matchesModel({ trigger: { models } }: Pattern, model: string): boolean {
  if (models.length === 0) return true;
  const names = [model, model.slice(model.indexOf('/') + 1)];
  return models.some((one) =>
    one.endsWith('*')
      ? names.some((name) => name.startsWith(one.slice(0, -1)))
      : names.includes(one) || model.endsWith(`/${one}`),
  );
}

/** Whether the offered tools declare all names in a lesson about a tool, so that it reveals no new names to the model. */
function usesDeclaredNames({ origin, trigger, advice }: Pattern, { tools = [] }: ChatRequest): boolean {
  if (origin !== 'forge' || trigger.tools.length === 0) return true;
  const named = advice.match(/"[^"]*"/g) ?? [];
  return tools.some((tool) => {
    if (!trigger.tools.includes(tool.name)) return false;
    const schema = JSON.stringify(tool.input_schema ?? {});
    return named.every((name) => schema.includes(name));
  });
}
