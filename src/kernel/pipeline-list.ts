import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';

/** One entry of a pipeline list, before the module is looked up. */
export interface PipelineEntry {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Parses `exact-cache?ttl=1h,cost-guard?day=5`; `none` and an empty list run nothing. */
export function parsePipelineList(text: string): readonly PipelineEntry[] {
  const listed = entriesOf(text).map(parseEntry);
  const names = new Set<string>();
  for (const one of listed) checkUniqueName(one, names);
  return listed;
}

/** All issues of a list, entry by entry; `check` throws for an invalid entry. */
export function validatePipelineList(
  text: string,
  check: (pipelineEntry: PipelineEntry) => void,
): readonly string[] {
  const faults: string[] = [];
  const collect = (step: () => void) => {
    try {
      step();
    } catch (refusal) {
      if (!GatewayError.is(refusal)) throw refusal;
      faults.push(refusal.message);
    }
  };
  const names = new Set<string>();
  collect(() => {
    for (const entry of entriesOf(text))
      collect(() => {
        const pipelineEntry = parseEntry(entry);
        collect(() => checkUniqueName(pipelineEntry, names));
        check(pipelineEntry);
      });
  });
  return faults;
}

function entriesOf(text: string): readonly string[] {
  if (text.length > limits.pipelineTextMax)
    throw new GatewayError(
      'bad_pipeline',
      `a pipeline list has at most ${limits.pipelineTextMax} characters`,
    );
  const plain = text.replaceAll(/\s/g, '');
  return plain === '' || plain === 'none' ? [] : plain.split(',');
}

function checkUniqueName({ name }: PipelineEntry, names: Set<string>): void {
  if (names.has(name)) throw new GatewayError('bad_pipeline', `the pipeline names "${name}" twice`);
  names.add(name);
}

function parseEntry(text: string): PipelineEntry {
  const [name = '', ...query] = text.split('?');
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new GatewayError(
      'unknown_module',
      `"${name.slice(0, 80)}" is not a module name; GET /v1/capabilities lists them`,
    );
  const options: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query.join('?'))) {
    if (Object.hasOwn(options, key))
      throw new GatewayError('bad_module_option', `${name}: the option "${key}" is given twice`, {
        param: key,
      });
    options[key] = value;
  }
  return { name, options };
}

/** Formats a list as a user would write it. */
export function formatPipelineList(listed: readonly PipelineEntry[]): string {
  return listed.map(({ name, options }) => name + formatOptions(options)).join(',');
}

function formatOptions(options: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(options).toString();
  return text === '' ? '' : `?${text}`;
}
