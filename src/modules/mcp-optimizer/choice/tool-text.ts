import { isJsonObject, type Tool } from '../../../module-api.ts';
import { splitIntoWords } from './words.ts';

/** The number of parameters in a tool's text; the first few matter most. */
const parametersRead = 8;
/** Limits on descriptions and parameters: more isn't needed to distinguish tools, and some have megabytes. */
const readLimits = { characters: 1500, parameters: 40 };

/** The text of a tool for the tools model: `create issue: Opens an issue. (owner, repo, title)`. */
export function toolText(tool: Tool): string {
  const parameters = parameterNames(tool.input_schema).slice(0, parametersRead).map(splitIntoWords);
  const listed = parameters.length === 0 ? '' : ` (${parameters.join(', ')})`;
  return `${splitIntoWords(stripMcpPrefix(tool.name))}: ${descriptionOf(tool).replace(/\s+/g, ' ').trim()}${listed}`;
}

/** The description, truncated to the limit. */
export function descriptionOf({ description }: Tool): string {
  return typeof description === 'string' ? description.slice(0, readLimits.characters) : '';
}

export function parameterNames(schema: Tool['input_schema']): readonly string[] {
  return isJsonObject(schema?.properties)
    ? Object.keys(schema.properties).slice(0, readLimits.parameters)
    : [];
}

/** Clients prefix the names of tools from MCP servers with this and the server's name. */
const prefix = 'mcp__';

function stripMcpPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The server of a tool: `github` in `mcp__github__create_issue` and `github__create_issue`; undefined if the name has none. */
export function serverOf(name: string): string | undefined {
  const plain = stripMcpPrefix(name);
  const end = plain.indexOf('__');
  // `flight_book__2` is a duplicate of `flight_book`, not a tool of a server.
  return end <= 0 || /^\d*$/.test(plain.slice(end + 2)) ? undefined : plain.slice(0, end);
}

/** Its name without the server's. */
export function shortNameOf(name: string): string {
  const server = serverOf(name);
  return server === undefined ? name : name.slice(name.indexOf(`${server}__`) + server.length + 2);
}
