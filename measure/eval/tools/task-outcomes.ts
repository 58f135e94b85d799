import { splitClauses } from '../../../src/modules/mcp-optimizer/choice/clauses.ts';
import { prepareTool } from '../../../src/modules/mcp-optimizer/choice/prepared-tool.ts';
import { requestTexts } from '../../../src/modules/mcp-optimizer/choice/request-texts.ts';
import { searchTools, selectTools } from '../../../src/modules/mcp-optimizer/choice/select-tools.ts';
import { ToolList } from '../../../src/modules/mcp-optimizer/choice/tool-list.ts';
import { fullToolsMax, toolLinesMax } from '../../../src/modules/mcp-optimizer/limits.ts';
import type { CachedVectors } from './cached-vectors.ts';
import { type EvalTool, rowsOf } from './sets.ts';
import { offeredTools, readServers, readTasks, type ServerTool, type Task } from './tasks.ts';

const described = fullToolsMax + toolLinesMax;

/** Tasks of several steps over whole servers, each half of them apart: one to develop with, one to judge by. */
export async function reportTasks(data: string, vectors: CachedVectors): Promise<void> {
  const servers = [...readServers(), ...strangersOf(data)];
  console.log(
    '\nTasks: all tools of a task are kept; kept or named beside a kept one; reached with one search',
  );
  console.log(
    'per step in its own words, with a description or by name; the same with the request as the query',
  );
  console.log('half  tools           kept   named   step   by name   request   by name   tokens dropped');
  for (const half of [0, 1])
    for (const naming of ['prefixed', 'plain'] as const)
      for (const size of [120, 500]) {
        const tasks = readTasks().filter((_, at) => at % 2 === half);
        const outcomes: TaskOutcome[] = [];
        for (const task of tasks)
          outcomes.push(await outcomeOf(task, offeredTools(task, servers, { size, naming }), vectors));
        const share = (key: Exclude<keyof TaskOutcome, 'before' | 'after'>, width: number) =>
          `${Math.round((100 * outcomes.filter((one) => one[key]).length) / tasks.length)} %`.padStart(width);
        const sum = (key: 'before' | 'after') => outcomes.reduce((total, one) => total + one[key], 0);
        console.log(
          `${half}     ${String(size).padEnd(4)} ${naming.padEnd(9)}`,
          share('isKept', 6) + share('isNamed', 8) + share('isFound', 7) + share('isFoundByName', 10),
          share('isFoundByRequest', 9) + share('isFoundByRequestName', 10),
          `${(100 * (1 - sum('after') / sum('before'))).toFixed(1)} %`.padStart(16),
        );
      }
}

interface TaskOutcome {
  readonly isKept: boolean;
  readonly isNamed: boolean;
  readonly isFound: boolean;
  readonly isFoundByName: boolean;
  readonly isFoundByRequest: boolean;
  readonly isFoundByRequestName: boolean;
  readonly before: number;
  readonly after: number;
}

async function outcomeOf(
  task: Task,
  offered: readonly EvalTool[],
  vectors: CachedVectors,
): Promise<TaskOutcome> {
  const tools = offered.map((tool) => prepareTool(tool, JSON.stringify(tool)));
  const texts = requestTexts({ messages: [{ role: 'user', content: task.text }] });
  const queries = task.steps.map(({ words }) =>
    [words, ...splitClauses(words)].map((text) => ({ text, weight: 1 })),
  );
  await vectors.make([...tools, ...texts, ...queries.flat()].map(({ text }) => text));
  const embed = (some: typeof texts) => some.map((one) => ({ ...one, vector: vectors.get(one.text) }));
  const list = new ToolList(
    tools,
    tools.map(({ text }) => vectors.get(text)),
  );
  const { selected } = selectTools(list, embed(texts));
  const left = new Set([...tools.keys()].filter((at) => !selected.has(at)));
  const siblings = list.families
    .filter((family) => family.some((at) => selected.has(at)))
    .flat()
    .filter((at) => left.has(at));
  const search = (some: typeof texts) => searchTools(list, embed(some), { among: left, first: fullToolsMax });
  const steps = queries.map(search);
  const all = search(texts);
  const reaches = (step: number, found: readonly number[]) => {
    const names = new Set([...selected, ...found].map((at) => tools[at]?.shortName));
    return task.steps[step]?.tools.some((name) => names.has(name)) === true;
  };
  const every = (found: (step: number) => readonly number[]) =>
    task.steps.every((_, step) => reaches(step, found(step)));
  const tokens = (some: Iterable<number>) => [...some].reduce((sum, at) => sum + (tools[at]?.tokens ?? 0), 0);
  const named = siblings.reduce((sum, at) => sum + ((tools[at]?.shortName.length ?? 0) + 2) / 4, 0);
  return {
    isKept: every(() => []),
    isNamed: every(() => siblings),
    isFound: every((step) => steps[step]?.slice(0, described) ?? []),
    isFoundByName: every((step) => steps[step] ?? []),
    isFoundByRequest: every(() => all.slice(0, described)),
    isFoundByRequestName: every(() => all),
    before: tokens(tools.keys()),
    after: tokens(selected) + named,
  };
}

export function strangersOf(data: string): readonly ServerTool[] {
  return ['docker-mcp-registry', 'github-mcp-server'].flatMap((file) =>
    rowsOf<EvalTool & { readonly server: string }>(data, `distractors/${file}.tools.jsonl`).map(
      ({ server, name, ...tool }) => ({ server, tool: { ...tool, name: name.replace(/^.*?__/, '') } }),
    ),
  );
}
