import { similarityToAverageTool } from './average-tool.ts';
import { Bm25Index } from './bm25-index.ts';
import { concatenateVectors, dotProducts } from './dot-products.ts';
import { groupFamilies } from './families.ts';
import type { PreparedTool } from './prepared-tool.ts';
import type { RequestText } from './request-texts.ts';

export interface EmbeddedRequestText extends RequestText {
  readonly vector: Float32Array;
}

const emptyVector = new Float32Array();

/** The weight of word matches relative to vectors. */
const wordsWeight = 0.2;

/** A list of tools, ready to be ranked. Immutable, so all conversations with these tools share it. */
export class ToolList {
  readonly tools: readonly PreparedTool[];
  /** Groups of tools that are used together. */
  readonly families: readonly (readonly number[])[];
  /** Concatenated. */
  readonly #vectors: Float32Array;
  readonly #lexicon: Bm25Index;
  /** By every name that a text may use for a tool. */
  readonly #indexesByName = new Map<string, number[]>();

  constructor(tools: readonly PreparedTool[], vectors: readonly Float32Array[]) {
    this.tools = tools;
    this.#vectors = concatenateVectors(vectors);
    this.#lexicon = new Bm25Index(tools.map(({ terms: termCounts }) => termCounts));
    this.families = groupFamilies(tools.map(({ name }) => name));
    for (const [at, { name, shortName }] of tools.entries())
      for (const known of new Set([name, shortName])) push(this.#indexesByName, known, at);
  }

  /** The relevance of each tool to a request relative to an average tool: cosine similarity plus a bonus for matching words. */
  scores(request: readonly EmbeddedRequestText[]): Float32Array {
    const scores = new Float32Array(this.tools.length).fill(-1);
    const cosines = dotProducts(
      this.#vectors,
      request.map(({ vector }) => vector),
    );
    for (const [one, { text, weight, vector }] of request.entries()) {
      const words = this.#lexicon.scores(text);
      const usual = similarityToAverageTool(vector);
      const near = cosines[one] ?? emptyVector;
      for (let at = 0; at < scores.length; at++) {
        const score = weight * ((near[at] ?? 0) - usual + wordsWeight * (words[at] ?? 0));
        if (score > (scores[at] ?? -1)) scores[at] = score;
      }
    }
    return scores;
  }

  /** The indexes of tools with one of these names. */
  indexesNamed(words: readonly string[]): readonly number[] {
    return words.flatMap((word) => this.#indexesByName.get(word) ?? []);
  }

  /** The indexes of tools that a tool's description mentions, preferably of the same server. */
  indexesMentionedBy(at: number): readonly number[] {
    const { mentions, server } = this.tools[at] ?? { mentions: [], server: undefined };
    return mentions.flatMap((word) => {
      const all = (this.#indexesByName.get(word) ?? []).filter((other) => other !== at);
      const own = all.filter((other) => this.tools[other]?.server === server);
      return own.length > 0 ? own : all;
    });
  }
}

function push(lists: Map<string, number[]>, key: string, at: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [at]);
  else list.push(at);
}
