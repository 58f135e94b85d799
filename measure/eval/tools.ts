// How many tools mcp-optimizer leaves out, and whether a needed one was among them: npm run eval:tools -- --data <folder>
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type PreparedTool, prepareTool } from '../../src/modules/mcp-optimizer/choice/prepared-tool.ts';
import { requestTexts } from '../../src/modules/mcp-optimizer/choice/request-texts.ts';
import { searchTools, selectTools } from '../../src/modules/mcp-optimizer/choice/select-tools.ts';
import { type EmbeddedRequestText, ToolList } from '../../src/modules/mcp-optimizer/choice/tool-list.ts';
import { fullToolsMax, toolLinesMax } from '../../src/modules/mcp-optimizer/limits.ts';
import { CachedVectors } from './tools/cached-vectors.ts';
import { reportLearning } from './tools/learning.ts';
import { type EvalQuery, type EvalTool, type PaddedQuery, padded, rowsOf } from './tools/sets.ts';
import { reportTasks } from './tools/task-outcomes.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    most: { type: 'string', default: '1000000' },
    misses: { type: 'boolean' },
  },
});
const folder = values.data;
const most = Number(values.most);
const vectors = new CachedVectors();
const known = new Map<string, PreparedTool>();

if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no tools at ${folder ?? '--data <folder>'}`);
else await report(folder);

async function report(data: string): Promise<void> {
  const toole = rowsOf<EvalTool>(data, 'toole/tools.jsonl');
  const bfcl = rowsOf<EvalTool>(data, 'bfcl/tools.jsonl');
  const strangers = ['docker-mcp-registry', 'github-mcp-server'].flatMap((name) =>
    rowsOf<EvalTool>(data, `distractors/${name}.tools.jsonl`),
  );
  for (const tool of [...toole, ...bfcl, ...strangers]) known.set(tool.name, prepareTool(tool, jsonOf(tool)));
  await vectors.make([...known.values()].map(({ text }) => text));
  console.log(
    'queries                 tools     number   all kept   with find_tools   tokens dropped   vague',
  );
  for (const [set, own, parts] of [
    ['toole', toole, ['single', 'multi', 'reliability']],
    [
      'bfcl',
      bfcl,
      ['multiple', 'parallel_multiple', 'live_multiple', 'live_simple', 'irrelevance', 'live_irrelevance'],
    ],
  ] as const)
    for (const part of parts) {
      const queries = sampled(rowsOf<EvalQuery>(data, `${set}/queries.${part}.jsonl`));
      await vectors.make(queries.flatMap(({ text }) => textsOf(text).map((one) => one.text)));
      const isNone = queries.every(({ gold }) => gold.length === 0);
      // A tool of the same collection may be the right one after all: those lists are filled with other servers' tools only.
      const pools: readonly (readonly [string, readonly EvalTool[], number])[] = isNone
        ? [
            ['60', strangers, 60],
            ['120', strangers, 120],
          ]
        : [
            ['60', own, 60],
            ['60 mixed', [...own, ...strangers], 60],
            ['120', own, 120],
            ['120 mixed', [...own, ...strangers], 120],
            ['all', own, Number.POSITIVE_INFINITY],
          ];
      for (const [size, pool, count] of pools)
        row(
          `${set} ${part}`,
          size,
          queries.map((query) => padded(query, pool, count)),
        );
    }
  await reportTasks(data, vectors);
  await reportLearning(data, vectors, most);
  await timed([...bfcl.slice(0, 500)]);
}

interface Outcome {
  readonly isKept: boolean;
  readonly isFound: boolean;
  readonly before: number;
  readonly after: number;
  readonly isVague: boolean;
}

function row(name: string, size: string, queries: readonly PaddedQuery[]): void {
  const outcomes = queries.map(outcomeOf);
  const share = (is: (outcome: Outcome) => boolean) => percent(outcomes.filter(is).length / outcomes.length);
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const isNone = queries.every(({ gold }) => gold.length === 0);
  console.log(
    name.padEnd(24) + size.padEnd(10) + String(queries.length).padStart(6),
    (isNone ? '–' : share(({ isKept }) => isKept)).padStart(10),
    (isNone ? '–' : share(({ isFound }) => isFound)).padStart(17),
    percent(1 - sum(({ after }) => after) / sum(({ before }) => before)).padStart(16),
    share(({ isVague }) => isVague).padStart(7),
  );
  if (values.misses !== true) return;
  for (const [at, { isFound }] of outcomes.entries())
    if (!isFound)
      console.log(
        `    ${queries[at]?.id} ${queries[at]?.text.slice(0, 160)} → ${queries[at]?.gold.join(', ')}`,
      );
}

function outcomeOf({ text, tools, gold }: PaddedQuery): Outcome {
  const list = listOf(tools);
  const request = textsOf(text).map(
    (one): EmbeddedRequestText => ({ ...one, vector: vectors.get(one.text) }),
  );
  const { selected, isVague } = selectTools(list, request);
  const left = new Set([...list.tools.keys()].filter((at) => !selected.has(at)));
  const again = new Set([
    ...selected,
    ...searchTools(list, request, { among: left, first: fullToolsMax }).slice(0, fullToolsMax + toolLinesMax),
  ]);
  const has = (chosen: ReadonlySet<number>) =>
    gold.every((any) => [any].flat().some((name) => [...chosen].some((at) => list.tools[at]?.name === name)));
  const tokens = (chosen: Iterable<number>) =>
    [...chosen].reduce((sum, at) => sum + (list.tools[at]?.tokens ?? 0), 0);
  return {
    isKept: has(selected),
    isFound: has(again),
    before: tokens(list.tools.keys()),
    after: tokens(selected),
    isVague,
  };
}

function listOf(names: readonly string[]): ToolList {
  const tools = names.flatMap((name) => known.get(name) ?? []);
  return new ToolList(
    tools,
    tools.map(({ text }) => vectors.get(text)),
  );
}

/** What choosing takes where everything is in memory. */
async function timed(tools: readonly EvalTool[]): Promise<void> {
  const text =
    'Book a flight from Berlin to Lisbon, then find me a hotel near the beach and tell me the weather there.';
  const texts = textsOf(text);
  await vectors.make(texts.map((one) => one.text));
  const list = listOf(tools.map(({ name }) => name));
  const request = texts.map((one): EmbeddedRequestText => ({ ...one, vector: vectors.get(one.text) }));
  const times = Array.from({ length: 200 }, () => {
    const startedAtMs = performance.now();
    selectTools(list, request);
    return performance.now() - startedAtMs;
  }).sort((one, other) => one - other);
  console.log(
    `\nchoosing among ${tools.length} tools by ${texts.length} texts: median ${times[100]?.toFixed(2)} ms, p95 ${times[190]?.toFixed(2)} ms`,
  );
}

function textsOf(text: string) {
  return requestTexts({ messages: [{ role: 'user', content: text }] });
}

function sampled(queries: readonly EvalQuery[]): readonly EvalQuery[] {
  const step = Math.max(1, Math.floor(queries.length / most));
  return queries.filter((_, at) => at % step === 0).slice(0, most);
}

function jsonOf({ name, description, input_schema }: EvalTool): string {
  return JSON.stringify({ name, description, input_schema });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
