import { type GatewayTool, isJsonObject, parseExact, type Tool, type ToolAnswer } from '../../module-api.ts';
import { splitClauses } from './choice/clauses.ts';
import { searchTools } from './choice/select-tools.ts';
import type { EmbeddedRequestText, ToolList } from './choice/tool-list.ts';
import { descriptionOf, serverOf, shortNameOf } from './choice/tool-text.ts';
import {
  fullToolCharactersMax,
  fullToolsMax,
  namesCharactersMax,
  queryCharactersMax,
  siblingNamesCharactersMax,
  toolLinesMax,
} from './limits.ts';
import { validateArguments } from './validate-arguments.ts';

interface RetrievalToolsParts {
  /** All tools of the client. */
  readonly tools: readonly Tool[];
  /** Names of omitted tools. */
  readonly omitted: ReadonlySet<string>;
  /** Names of tools that are used together. */
  readonly families: readonly (readonly string[])[];
  /** Loads the client's tools for searching. */
  list(): Promise<ToolList>;
  /** Embeds texts; without vectors if that fails or is late. */
  embed(texts: readonly string[]): Promise<readonly EmbeddedRequestText[]>;
}

/** Two tools with which a model reaches omitted ones: one finds tools, the other calls them. */
export function createRetrievalTools(parts: RetrievalToolsParts): readonly GatewayTool[] {
  const [finding, calling] = describeRetrievalTools(parts);
  return [
    { tool: finding, answer: (input) => findTools(input, parts, calling.name) },
    { tool: calling, callsOthers: true, answer: (input) => callTool(input, parts, finding.name) },
  ];
}

/** Deterministic for the same tools. */
function describeRetrievalTools({ tools, omitted, families }: RetrievalToolsParts): readonly [Tool, Tool] {
  const finding = uniqueToolName('find_tools', tools);
  const calling = uniqueToolName('call_tool', tools);
  return [
    {
      name: finding,
      description: `Finds tools beyond those listed here: ${omitted.size} more are available${describeServers(omitted)}.${describeSiblings(families, omitted)} Use it whenever none of the listed tools does what is needed, before saying that something can't be done. What it finds is called with ${calling}.`,
      input_schema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What is to be done, in a few words' } },
        required: ['query'],
      },
    },
    {
      name: calling,
      description: `Calls a tool that ${finding} found.`,
      input_schema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name of the tool' },
          arguments: { type: 'object', description: 'Its arguments, by its input_schema' },
        },
        required: ['name', 'arguments'],
      },
    },
  ];
}

/** A name that differs from all of the client's tools, omitted ones included. */
function uniqueToolName(name: string, tools: readonly Tool[]): string {
  const taken = new Set(tools.map((tool) => tool.name));
  let apart = name;
  for (let number = 2; taken.has(apart); number++) apart = `${name}_${number}`;
  return apart;
}

const serversShown = 20;

function describeServers(left: ReadonlySet<string>): string {
  const servers = [...new Set([...left].flatMap((name) => serverOf(name) ?? []))];
  if (servers.length === 0) return '';
  const more = servers.length > serversShown ? ' and others' : '';
  return `, of ${servers.slice(0, serversShown).join(', ')}${more}`;
}

/** The omitted tools that are used together with listed ones. */
function describeSiblings(families: readonly (readonly string[])[], omitted: ReadonlySet<string>): string {
  const siblings = families.flatMap((family) => {
    const left = family.filter((name) => omitted.has(name));
    return left.length < family.length ? left : [];
  });
  return siblings.length === 0
    ? ''
    : ` Some of them belong to listed tools: ${formatNames(siblings, siblingNamesCharactersMax)}.`;
}

/** Names by server, `mcp__github__: create_issue, list_issues; TaskUpdate`, as many as fit. */
function formatNames(names: readonly string[], charactersMax: number): string {
  let left = charactersMax;
  const fitting = names.filter((name) => {
    left -= shortNameOf(name).length + 2;
    return left >= 0;
  });
  const groups = Map.groupBy(fitting, (name) => name.slice(0, name.length - shortNameOf(name).length));
  return [...groups]
    .map(([prefix, own]) => (prefix === '' ? '' : `${prefix}: `) + own.map(shortNameOf).join(', '))
    .join('; ');
}

async function findTools(
  input: unknown,
  { tools, omitted, list, embed }: RetrievalToolsParts,
  calling: string,
): Promise<ToolAnswer> {
  const fullQuery = isJsonObject(input) && typeof input.query === 'string' ? input.query.trim() : '';
  if (fullQuery === '') return { content: 'query must say what is to be done', isError: true };
  const query = fullQuery.slice(0, queryCharactersMax);
  const all = await list();
  const among = new Set([...all.tools.keys()].filter((at) => omitted.has(all.tools[at]?.name ?? '')));
  const best = searchTools(all, await embed([query, ...splitClauses(query)]), { among, first: fullToolsMax });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const named = best.flatMap((at) => byName.get(all.tools[at]?.name ?? '') ?? []);
  const whole = formatFullTools(named);
  const brief = named.slice(whole.length, whole.length + toolLinesMax);
  const rest = named.slice(whole.length + brief.length).map(({ name }) => name);
  const lines = [`Call one of these with ${calling}:`, ...whole];
  if (brief.length > 0)
    lines.push('', 'Others; find them by name for their input_schema:', ...brief.map(formatToolLine));
  if (rest.length > 0) lines.push('', `By name only: ${formatNames(rest, namesCharactersMax)}`);
  return lines.join('\n');
}

/** The first tools with complete schemas. */
function formatFullTools(tools: readonly Tool[]): readonly string[] {
  const whole: string[] = [];
  let characters = 0;
  for (const { name, description, input_schema } of tools.slice(0, fullToolsMax)) {
    const json = JSON.stringify({ name, description, input_schema });
    characters += json.length;
    if (whole.length > 0 && characters > fullToolCharactersMax) break;
    whole.push(json);
  }
  return whole;
}

const lineCharacters = 80;

function formatToolLine(tool: Tool): string {
  const { name } = tool;
  const text = descriptionOf(tool).replace(/\s+/g, ' ').trim();
  return `${name}: ${text.length <= lineCharacters ? text : `${text.slice(0, lineCharacters)}…`}`;
}

/** Hands the call over to the client. Also accepts tools that the model could call directly. */
function callTool(input: unknown, { tools }: RetrievalToolsParts, finding: string): ToolAnswer {
  const { name, arguments: given, ...beside } = isJsonObject(input) ? input : {};
  const tool = findByName(tools, name);
  if (tool === undefined)
    return {
      content: `There is no tool ${JSON.stringify(name ?? '')}. ${finding} tells which there are.`,
      isError: true,
    };
  // Some models write the arguments next to the name.
  const values = parseArguments(given ?? beside);
  const wrong = validateArguments(values, { type: 'object', ...tool.input_schema });
  if (wrong.length === 0) return { handOver: { name: tool.name, input: values } };
  return {
    content: `${wrong.join('; ')}. The input_schema of ${tool.name} is ${JSON.stringify(tool.input_schema ?? {})}`,
    isError: true,
  };
}

/** Also by its name without the server's, if no other tool has the same. */
function findByName(tools: readonly Tool[], wanted: unknown): Tool | undefined {
  const exact = tools.find(({ name }) => name === wanted);
  if (exact !== undefined) return exact;
  const [only, ...others] = tools.filter(({ name }) => shortNameOf(name) === wanted);
  return others.length === 0 ? only : undefined;
}

/** Some models write the arguments as a JSON string. */
function parseArguments(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return parseExact(given) ?? {};
  } catch {
    return given;
  }
}
