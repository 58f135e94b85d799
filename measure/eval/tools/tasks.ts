import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EvalTool, numbersFrom, shuffled } from './sets.ts';

/** A task in a person's words, with the tools that its steps need. */
export interface Task {
  readonly text: string;
  readonly steps: readonly TaskStep[];
}

interface TaskStep {
  /** Any one of these does. */
  readonly tools: readonly string[];
  /** What a model would search for. */
  readonly words: string;
}

/** Whether names tell the server, `mcp__<server>__<tool>`, or not. */
export type Naming = 'prefixed' | 'plain';

export interface ServerTool {
  readonly server: string;
  readonly tool: EvalTool;
}

export function readTasks(): readonly Task[] {
  const tasks: { text: string; steps: TaskStep[] }[] = [];
  for (const line of linesOf('tasks.txt')) {
    const [tools = '', words = ''] = line.split(': ');
    if (!line.startsWith(' ')) tasks.push({ text: line, steps: [] });
    else tasks.at(-1)?.steps.push({ tools: tools.split('|').map((name) => name.trim()), words });
  }
  return tasks;
}

/** The tools of the tasks' servers, by lines such as `read_file(path): Returns a file.` under `# server`. */
export function readServers(): readonly ServerTool[] {
  let server = '';
  return linesOf('task-servers.txt').flatMap((line) => {
    const [, name = '', parameters = '', description = ''] = /^(\w+)\((.*?)\): (.*)$/.exec(line) ?? [];
    if (name === '') server = line.slice(2);
    const properties = Object.fromEntries(
      parameters
        .split(', ')
        .filter((one) => one !== '')
        .map((one) => [one, { type: 'string', description: `The ${one.replaceAll('_', ' ')} to use` }]),
    );
    const input_schema = { type: 'object', properties, required: Object.keys(properties) } as const;
    return name === '' ? [] : [{ server, tool: { name, description, input_schema } }];
  });
}

/** Whole servers: those that the task needs, and others until there are `size` tools. */
export function offeredTools(
  task: Task,
  servers: readonly ServerTool[],
  { size, naming }: { readonly size: number; readonly naming: Naming },
): readonly EvalTool[] {
  const names = task.steps.flatMap(({ tools }) => tools);
  const needed = new Set(names.map((name) => servers.find(({ tool }) => tool.name === name)?.server));
  const isNeeded = ([first]: readonly ServerTool[]) => needed.has(first?.server);
  const random = numbersFrom(`${task.text}${size}`);
  const groups = Map.groupBy(servers, ({ server }) => server).values();
  const mixed = shuffled([...groups], random).sort(
    (one, other) => Number(isNeeded(other)) - Number(isNeeded(one)),
  );
  const offered = shuffled(mixed.flat().slice(0, size), random).map(({ server, tool }) => ({
    ...tool,
    name: naming === 'plain' ? tool.name : `mcp__${server}__${tool.name}`,
  }));
  return [...new Map(offered.map((tool) => [tool.name, tool])).values()];
}

function linesOf(file: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
