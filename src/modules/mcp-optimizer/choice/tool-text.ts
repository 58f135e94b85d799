import { isJsonObject, type Tool } from '../../../module-api.ts';
import { splitIntoWords } from './words.ts';

/** Parameters that say what a tool is about; the first few are the ones that matter. */
const parametersRead = 8;
/** Of a description and of parameters: nobody's tool needs more to be told from others, and somebody's may have megabytes. */
const readLimits = { characters: 1500, parameters: 40 };

/** A tool as the model for tools reads it: `create issue: Opens an issue. (owner, repo, title)`. */
export function toolText(tool: Tool): string {
  const parameters = parameterNames(tool.input_schema).slice(0, parametersRead).map(splitIntoWords);
  const listed = parameters.length === 0 ? '' : ` (${parameters.join(', ')})`;
  return `${splitIntoWords(stripMcpPrefix(tool.name))}: ${descriptionOf(tool).replace(/\s+/g, ' ').trim()}${listed}`;
}

/** As much of it as is read. */
export function descriptionOf({ description }: Tool): string {
  return typeof description === 'string' ? description.slice(0, readLimits.characters) : '';
}

export function parameterNames(schema: Tool['input_schema']): readonly string[] {
  return isJsonObject(schema?.properties)
    ? Object.keys(schema.properties).slice(0, readLimits.parameters)
    : [];
}

/** Clients put this before the names of all that they have from MCP servers; what follows is the server's name. */
const prefix = 'mcp__';

function stripMcpPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The server that a tool is of: `github` in `mcp__github__create_issue` and `github__create_issue`; undefined where no name says it. */
export function serverOf(name: string): string | undefined {
  const plain = stripMcpPrefix(name);
  const end = plain.indexOf('__');
  // `flight_book__2` is a second one of its name.
  return end <= 0 || /^\d*$/.test(plain.slice(end + 2)) ? undefined : plain.slice(0, end);
}
