import { exec } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { limits } from './limits.ts';
import { parseReferences } from './parse-references.ts';

export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the configuration file. */
  readonly folder: string;
  /** Whether commands may be run. */
  readonly mayExecute: boolean;
  /** Gets every file that is read, with its content if it can be read. */
  onFile(path: string, content: Uint8Array | undefined): void;
}

/** A text without references, or why there is none. */
export type Resolution = { readonly text: string } | { readonly fault: string };

const filePrefix = 'file:';
const commandPrefix = 'exec:';

/** Replaces `${VAR}`, `${VAR:-default}`, `file:…` and `exec:…`. A `$` in front keeps them as they are. */
export async function resolveReferences(text: string, sources: ReferenceSources): Promise<Resolution> {
  if (text.startsWith(`$${filePrefix}`) || text.startsWith(`$${commandPrefix}`))
    return { text: text.slice(1) };
  // Before variables are inserted: their values are no references.
  if (text.startsWith(commandPrefix)) return execute(text.slice(commandPrefix.length), sources);
  const expanded = expand(text, sources.environment);
  if ('fault' in expanded || !text.startsWith(filePrefix)) return expanded;
  return readText(resolve(sources.folder, expanded.text.slice(filePrefix.length)), sources);
}

export function hasReference(text: string): boolean {
  return text.includes('${') || /^\$?(?:file|exec):/.test(text);
}

function expand(text: string, environment: ReferenceSources['environment']): Resolution {
  const pieces = parseReferences(text);
  if (pieces === undefined)
    return { fault: `has "\${" without a variable and "}"; write "$\${" for the text itself` };
  let expanded = '';
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? piece : environment[piece.variable] || piece.otherwise;
    if (value === undefined && typeof piece !== 'string')
      return { fault: `the variable ${piece.variable} is not set; \${${piece.variable}:-…} has a default` };
    expanded += value ?? '';
  }
  return { text: expanded };
}

/** Without the line break at the end. */
async function readText(path: string, { onFile }: ReferenceSources): Promise<Resolution> {
  onFile(path, undefined);
  try {
    if ((await stat(path)).size > limits.fileBytesMax)
      return { fault: `${path} has more than ${limits.fileBytesMax} bytes` };
    const content = await readFile(path);
    onFile(path, content);
    return { text: content.toString().replace(/\r?\n$/, '') };
  } catch (thrown) {
    return { fault: `can't be read: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** What it prints is never shown. */
async function execute(command: string, { mayExecute, folder }: ReferenceSources): Promise<Resolution> {
  if (!mayExecute)
    return { fault: 'commands are not allowed; the environment allows them with WEIR_CONFIG_EXEC=on' };
  const options = { cwd: folder, timeout: limits.commandMs, maxBuffer: limits.fileBytesMax };
  try {
    const { stdout } = await promisify(exec)(command, options);
    return { text: stdout.replace(/\r?\n$/, '') };
  } catch (thrown) {
    const code = Object(thrown).killed === true ? 'it took too long' : `it ended with ${Object(thrown).code}`;
    return { fault: `the command failed: ${code}` };
  }
}
