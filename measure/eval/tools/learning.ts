import { type PreparedTool, prepareTool } from '../../../src/modules/mcp-optimizer/choice/prepared-tool.ts';
import { requestTexts } from '../../../src/modules/mcp-optimizer/choice/request-texts.ts';
import { selectTools } from '../../../src/modules/mcp-optimizer/choice/select-tools.ts';
import { ToolList } from '../../../src/modules/mcp-optimizer/choice/tool-list.ts';
import { serializeRequest, toolsCalledFor } from '../../../src/modules/mcp-optimizer/learned-tools.ts';
import type { CachedVectors } from './cached-vectors.ts';
import { type EvalQuery, type EvalTool, numbersFrom, padded, rowsOf } from './sets.ts';
import { strangersOf } from './task-outcomes.ts';
import { offeredTools, readServers, readTasks } from './tasks.ts';

/** A request with the tools that it is offered and those that it needs; a list means any one of these. */
interface Case {
  readonly text: string;
  readonly offered: readonly EvalTool[];
  readonly needed: readonly (readonly string[])[];
}

const toolsOffered = 120;

/** What the calls of one half of the requests do for the other half. */
export async function reportLearning(data: string, vectors: CachedVectors, most: number): Promise<void> {
  console.log('\nLearning: the calls of one half of the requests, for the other half; 120 tools');
  console.log('requests                  number   kept, before and after   tokens dropped   learned tools');
  const toole = rowsOf<EvalTool>(data, 'toole/tools.jsonl');
  const bfcl = rowsOf<EvalTool>(data, 'bfcl/tools.jsonl');
  for (const [set, tools, part] of [
    ['toole', toole, 'single'],
    ['toole', toole, 'multi'],
    ['bfcl', bfcl, 'live_multiple'],
    ['bfcl', bfcl, 'live_simple'],
  ] as const) {
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const queries = rowsOf<EvalQuery>(data, `${set}/queries.${part}.jsonl`);
    const step = Math.max(1, Math.floor(queries.length / most));
    const cases = queries
      .filter((_, at) => at % step === 0)
      .map((query): Case => {
        const names = padded(query, tools, toolsOffered).tools;
        return {
          text: query.text,
          offered: names.flatMap((name) => byName.get(name) ?? []),
          needed: query.gold.map((any) => [any].flat()),
        };
      });
    await reportHalves(`${set} ${part}`, cases, vectors);
  }
  const servers = [...readServers(), ...strangersOf(data)];
  for (const naming of ['prefixed', 'plain'] as const)
    await reportHalves(
      `tasks, ${naming}`,
      readTasks().map((task): Case => {
        const offered = offeredTools(task, servers, { size: toolsOffered, naming });
        const named = (short: string) =>
          offered.map(({ name }) => name).filter((name) => name === short || name.endsWith(`__${short}`));
        return { text: task.text, offered, needed: task.steps.map(({ tools }) => tools.flatMap(named)) };
      }),
      vectors,
    );
}

async function reportHalves(name: string, cases: readonly Case[], vectors: CachedVectors): Promise<void> {
  await vectors.make(
    cases.flatMap(({ text, offered }) => [
      ...textsOf(text).map((one) => one.text),
      ...offered.map((tool) => prepare(tool).text),
    ]),
  );
  const inHistory = ({ text }: Case) => numbersFrom(text)() < 0.5;
  const history = cases.filter(inHistory);
  const outcomes = cases.filter((one) => !inHistory(one)).map((one) => outcomeOf(one, history, vectors));
  const mean = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`.padStart(8);
  console.log(
    name.padEnd(25) + String(outcomes.length).padStart(7),
    percent(mean(({ before }) => Number(before.isKept))) + percent(mean(({ after }) => Number(after.isKept))),
    ' '.repeat(6),
    percent(mean(({ before }) => before.dropped)) + percent(mean(({ after }) => after.dropped)),
    mean(({ learned }) => learned)
      .toFixed(1)
      .padStart(8),
  );
}

interface Outcome {
  readonly before: Choice;
  readonly after: Choice;
  readonly learned: number;
}

interface Choice {
  readonly isKept: boolean;
  readonly dropped: number;
}

function outcomeOf(
  { text, offered, needed }: Case,
  history: readonly Case[],
  vectors: CachedVectors,
): Outcome {
  const tools = offered.map(prepare);
  const list = new ToolList(
    tools,
    tools.map((tool) => vectors.get(tool.text)),
  );
  const request = textsOf(text).map((one) => ({ ...one, vector: vectors.get(one.text) }));
  const learned = new Set(recalled(text, history, vectors));
  const choose = (always: readonly number[]): Choice => {
    const { selected } = selectTools(list, request, always);
    const names = new Set([...selected].map((at) => tools[at]?.name));
    const tokens = (some: Iterable<number>) =>
      [...some].reduce((sum, at) => sum + (tools[at]?.tokens ?? 0), 0);
    return {
      isKept: needed.every((any) => any.some((name) => names.has(name))),
      dropped: 1 - tokens(selected) / tokens(tools.keys()),
    };
  };
  const known = [...tools.keys()].filter((at) => learned.has(tools[at]?.name ?? ''));
  return { before: choose([]), after: choose(known), learned: known.length };
}

const prepared = new Map<string, PreparedTool>();

function prepare(tool: EvalTool): PreparedTool {
  const json = JSON.stringify(tool);
  const known = prepared.get(json) ?? prepareTool(tool, json);
  prepared.set(json, known);
  return known;
}

/** What the module would find if one end user had sent the requests of the history today. */
function recalled(text: string, history: readonly Case[], vectors: CachedVectors): readonly string[] {
  const vector = vectors.get(textsOf(text)[0]?.text ?? '');
  const found = history
    .map(({ text: earlier, needed }) => ({
      data: serializeRequest({ user: '', tools: needed.flatMap(([first]) => first ?? []) }),
      cosine: dotProduct(vector, vectors.get(textsOf(earlier)[0]?.text ?? '')),
      addedAtMs: 0,
    }))
    .sort((one, other) => other.cosine - one.cosine)
    .slice(0, 100);
  return toolsCalledFor(found, { user: '', nowMs: 0 });
}

function textsOf(text: string) {
  return requestTexts({ messages: [{ role: 'user', content: text }] });
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
