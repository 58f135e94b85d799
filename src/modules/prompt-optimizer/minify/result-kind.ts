import { isJsonObject } from '../../../module-api.ts';

/**
 * What the result of a tool call may be:
 * - `verbatim`: content of files, which the model may have to repeat exactly to edit them.
 * - `terminal`: output of a command.
 * - `data`: any other answer of a program.
 */
export type ResultKind = 'verbatim' | 'terminal' | 'data';

/** Decided by what the call asks for, since tools have names in many languages. In doubt it is `verbatim`. */
export function resultKindOf(name: string, input: unknown): ResultKind {
  if (!isJsonObject(input)) return 'verbatim';
  const words = wordsOf(name);
  const fields = Object.keys(input).map(wordsOf);
  const command =
    Object.values(input)[fields.findIndex((field) => field.some((word) => commandFields.has(word)))];
  const hasFile = fields.flat().some((word) => fileFields.has(word));
  if (words.some((word) => fileNames.has(word))) return 'verbatim';
  if (words.some((word) => shellNames.has(word)) || (command !== undefined && !hasFile))
    return readsFiles(command) ? 'verbatim' : 'terminal';
  return hasFile ? 'verbatim' : 'data';
}

/** The words of a name such as `read_file`, `readFile` or `fs.read-file`. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]/);
}

const shellNames: ReadonlySet<string> = new Set(
  'bash shell sh zsh terminal exec execute powershell cmd command commands console'.split(' '),
);
const commandFields: ReadonlySet<string> = new Set('command commands cmd script argv shell'.split(' '));
const fileNames: ReadonlySet<string> = new Set(
  'read view cat open file files edit write replace patch diff grep glob ls notebook source code document doc page repl python'.split(
    ' ',
  ),
);
const fileFields: ReadonlySet<string> = new Set(
  'path paths file files filename filepath dir directory folder uri glob pattern code document notebook'.split(
    ' ',
  ),
);

/** Programs whose output is the content of a file, wherever they stand in a command. */
const fileReaders: ReadonlySet<string> = new Set(
  'cat bat head tail less more sed awk nl tac jq yq diff patch show type get-content gc grep rg xxd od python python3 node perl ruby php'.split(
    ' ',
  ),
);

function readsFiles(command: unknown): boolean {
  const text = Array.isArray(command) ? command.join(' ') : command;
  if (typeof text !== 'string') return true;
  return text.split(/[^A-Za-z0-9.-]/).some((word) => fileReaders.has(word.toLowerCase()));
}
