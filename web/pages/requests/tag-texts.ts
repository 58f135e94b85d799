/** Each tag as the filter of the log takes it: `team:search`. */
export function tagTexts(tags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(tags).map(([tag, value]) => `${tag}:${value}`);
}
