/** The parts of a file, each with its tables, in the order in which they are written. */
const sections = {
  settings: [
    'log_retentions',
    'module_entries:settings',
    'configurations',
    'projects',
    'api_keys',
    'budgets',
    'webhooks',
  ],
  prompts: ['prompt_versions', 'prompt_labels'],
  patterns: ['collection_entries:patterns'],
  archive: ['collection_entries:archive'],
  conversations: ['module_entries:ledgers', 'collection_entries:ledgers'],
  modules: ['module_entries:others', 'collection_entries:others'],
  provider_keys: ['provider_keys'],
  recordings: ['recordings'],
  receipts: ['receipt_keys', 'receipts'],
  usage: ['usage_days', 'module_days', 'tag_days'],
  log: [
    ...['requests', 'request_sums', 'request_times', 'request_steps', 'request_step_times'],
    ...['request_past_sums', 'request_past_models', 'request_past_times', 'request_past_model_times'],
    ...['conversations', 'end_user_days'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SectionName = keyof typeof sections;

export const sectionNames = [
  ...(['settings', 'prompts', 'patterns', 'archive', 'conversations', 'modules'] as const),
  ...(['provider_keys', 'recordings', 'receipts', 'usage', 'log'] as const),
] satisfies readonly SectionName[];

/** Recordings are content that somebody has to ask for, and provider keys need a passphrase. */
export const usualSections: readonly SectionName[] = sectionNames.filter(
  (name) => name !== 'recordings' && name !== 'provider_keys',
);

export function isSectionName(name: string): name is SectionName {
  return Object.hasOwn(sections, name);
}

export function tablesOf(section: SectionName): readonly string[] {
  return sections[section];
}
