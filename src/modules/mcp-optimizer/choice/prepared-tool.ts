import type { Tool } from '../../../module-api.ts';
import { countTerms, type TermCounts } from './bm25-index.ts';
import { isGeneralPurpose, type ReferenceKind, referencesOpenedBy } from './general-purpose.ts';
import { descriptionOf, parameterNames, serverOf, shortNameOf, toolText } from './tool-text.ts';

/** Everything the choice needs of a tool except its vector, shared by all clients that offer it. */
export interface PreparedTool {
  readonly name: string;
  /** The text to embed. */
  readonly text: string;
  readonly terms: TermCounts;
  readonly server: string | undefined;
  /** Its name without the server's. */
  readonly shortName: string;
  /** Words in its description that could be names of other tools. */
  readonly mentions: readonly string[];
  readonly isGeneralPurpose: boolean;
  /** The kind of references in a request that it opens. */
  readonly opens: ReferenceKind | undefined;
  /** Estimated at four bytes each. */
  readonly tokens: number;
}

export function prepareTool(tool: Tool, json: string): PreparedTool {
  const { name, input_schema } = tool;
  const description = descriptionOf(tool);
  return {
    name,
    text: toolText(tool),
    terms: countTerms(name, `${description} ${parameterNames(input_schema).join(' ')}`),
    server: serverOf(name),
    shortName: shortNameOf(name),
    mentions: extractToolNames(description),
    isGeneralPurpose: isGeneralPurpose(tool),
    opens: referencesOpenedBy(tool),
    tokens: Buffer.byteLength(json) / 4,
  };
}

/** The distinct identifiers in a text. */
export function extractIdentifiers(text: string): readonly string[] {
  return [...new Set(text.match(/[\p{L}\p{N}_][\p{L}\p{N}_-]*/gu))];
}

/** Identifiers that can't be ordinary words. */
export function extractToolNames(text: string): readonly string[] {
  return extractIdentifiers(text).filter(looksLikeAName);
}

/** `search` is a word of every description; `search_issues` and `searchIssues` are names. */
function looksLikeAName(word: string): boolean {
  return /[_-]|\p{Ll}\p{Lu}/u.test(word);
}
