interface Section {
  readonly name: string;
  readonly title: string;
  readonly content: string;
  /** Whether an export has it unless somebody decides otherwise. */
  readonly isUsual: boolean;
}

/** What a file may have, but for provider keys, which need a passphrase. */
export const fileSections: readonly Section[] = [
  {
    name: 'settings',
    title: 'Settings',
    content: 'Configurations, aliases, guardrail rules, pipelines; API keys and alerts without their secrets',
    isUsual: true,
  },
  { name: 'prompts', title: 'Prompts', content: 'All versions and labels', isUsual: true },
  { name: 'patterns', title: 'Patterns', content: 'Lessons with their evidence', isUsual: true },
  { name: 'archive', title: 'Archive', content: 'What modules left out of conversations', isUsual: true },
  { name: 'conversations', title: 'Conversations', content: 'What modules decided in them', isUsual: true },
  { name: 'modules', title: 'Modules', content: 'What other modules store', isUsual: true },
  { name: 'usage', title: 'Usage', content: 'By day, key, model, module and tag', isUsual: true },
  { name: 'log', title: 'Request log', content: 'Calls, and the sums of the charts', isUsual: true },
  { name: 'receipts', title: 'Receipts', content: 'To be kept; they are not imported', isUsual: true },
  {
    name: 'recordings',
    title: 'Recordings',
    content: 'Requests and answers of recorded calls',
    isUsual: false,
  },
];

/** What no file has. */
export const staying: readonly (readonly [string, string])[] = [
  ['API keys', 'They arrive revoked, with their names, limits and access rules. Create new ones.'],
  ['Alerts', 'Their addresses are secrets. Add them again.'],
  ['Tier, credits, people, sessions', 'They belong to the instance.'],
  ['Cached answers', 'Calls fill the caches again.'],
];

export function titleOf(section: string): string {
  if (section === 'provider_keys') return 'Provider keys';
  return fileSections.find(({ name }) => name === section)?.title ?? section;
}
