import type { Tool } from '../../../module-api.ts';
import { countTerms, type TermCounts } from './bm25-index.ts';
import { isGeneralPurpose } from './general-purpose.ts';
import { descriptionOf, parameterNames, serverOf, toolText } from './tool-text.ts';

/** All that choosing needs of one tool but its vector; the same for whoever offers the tool. */
export interface PreparedTool {
  readonly name: string;
  /** For the model that makes vectors. */
  readonly text: string;
  readonly terms: TermCounts;
  readonly server: string | undefined;
  /** Its name without that of its server. */
  readonly shortName: string;
  /** Whatever in its description could be the name of another tool. */
  readonly mentions: readonly string[];
  readonly isGeneralPurpose: boolean;
  /** Four bytes each. */
  readonly tokens: number;
}

export function prepareTool(tool: Tool, json: string): PreparedTool {
  const { name, input_schema } = tool;
  const description = descriptionOf(tool);
  const server = serverOf(name);
  return {
    name,
    text: toolText(tool),
    terms: countTerms(name, `${description} ${parameterNames(input_schema).join(' ')}`),
    server,
    shortName: server === undefined ? name : name.slice(name.indexOf(`${server}__`) + server.length + 2),
    mentions: extractToolNames(description),
    isGeneralPurpose: isGeneralPurpose(tool),
    tokens: Buffer.byteLength(json) / 4,
  };
}

/** Words as names are written; each once. */
export function extractIdentifiers(text: string): readonly string[] {
  return [...new Set(text.match(/[\p{L}\p{N}_][\p{L}\p{N}_-]*/gu))];
}

/** Words that can be nothing but names. */
export function extractToolNames(text: string): readonly string[] {
  return extractIdentifiers(text).filter(looksLikeAName);
}

/** `search` is a word of every description; `search_issues` and `searchIssues` are names. */
function looksLikeAName(word: string): boolean {
  return /[_-]|\p{Ll}\p{Lu}/u.test(word);
}
