import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';

/** One entry of a pipeline list, before the module is looked up. */
export interface PipelineEntry {
  readonly name: string;
  /** The name of the module's configuration. */
  readonly configuration?: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Parses `exact-cache?ttl=1h,router:prod?retries=2`; `none` and an empty list run nothing. */
export function parsePipelineList(text: string): readonly PipelineEntry[] {
  const listed = entriesOf(text).map(parseEntry);
  const names = new Set<string>();
  for (const one of listed) checkUniqueName(one, names);
  return listed;
}

/** A list with the names of pipelines in it replaced by their lists. */
export function expandPipelineNames(text: string, named: ReadonlyMap<string, string>): string {
  if (named.size === 0) return text;
  return text
    .split(',')
    .map((entry) => named.get(entry.trim()) ?? entry)
    .join(',');
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
  const [head = '', ...query] = text.split('?');
  const [name = '', ...configurations] = head.split(':');
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new GatewayError(
      'unknown_module',
      `"${name.slice(0, 80)}" is not a module name, which has lower-case letters, digits and hyphens`,
    );
  const configuration = configurations.length === 0 ? undefined : configurations.join(':');
  if (configuration !== undefined && !isConfigurationName(configuration))
    throw new GatewayError(
      'unknown_configuration',
      `"${head.slice(0, 80)}": a configuration is named by up to ${limits.configurationNameMax} letters, digits and .-_ after the colon`,
    );
  const options: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query.join('?'))) {
    if (Object.hasOwn(options, key))
      throw new GatewayError('bad_module_option', `${name}: the option "${key}" is given twice`, {
        param: key,
      });
    options[key] = value;
  }
  return { name, ...(configuration !== undefined && { configuration }), options };
}

/** Whether a list names any configuration, or the given one. Accepts invalid lists. */
export function namesConfiguration(list: string, module?: string, name?: string): boolean {
  if (!list.includes(':')) return false;
  const heads = list
    .replaceAll(/\s/g, '')
    .split(',')
    .map((entry) => entry.split('?', 1)[0] ?? '');
  return heads.some((head) => (module === undefined ? head.includes(':') : head === `${module}:${name}`));
}

/** Whether a list has the definition `name` of `<module>.<option>`. Accepts invalid lists. */
export function namesDefinition(list: string, kind: string, name: string): boolean {
  const [module, option = ''] = kind.split('.', 2);
  if (!list.includes(`${option}=`)) return false;
  try {
    return parsePipelineList(list).some(
      (entry) => entry.name === module && namesIn(entry.options[option]).includes(name),
    );
  } catch (thrown) {
    if (GatewayError.is(thrown)) return false;
    throw thrown;
  }
}

/** The names in an option, which is a text with bars or a list. */
export function namesIn(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return value.split('|');
  return Array.isArray(value) ? value : [];
}

export const configurationNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function isConfigurationName(text: string): boolean {
  return text.length <= limits.configurationNameMax && configurationNamePattern.test(text);
}

/** Formats a list as a user would write it. */
export function formatPipelineList(listed: readonly PipelineEntry[]): string {
  return listed.map(formatEntry).join(',');
}

function formatEntry({ name, configuration, options }: PipelineEntry): string {
  const head = configuration === undefined ? name : `${name}:${configuration}`;
  return head + formatOptions(options);
}

function formatOptions(options: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(options).toString();
  return text === '' ? '' : `?${text}`;
}
