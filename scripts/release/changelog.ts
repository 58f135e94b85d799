const heading = /^## (.+)$/gm;

interface Section {
  /** `Unreleased`, or a version and its date. */
  readonly title: string;
  readonly text: string;
}

function sections(changelog: string): readonly Section[] {
  const found = [...changelog.matchAll(heading)];
  return found.map((match, at) => ({
    title: match[1] ?? '',
    text: changelog.slice(match.index + match[0].length, found[at + 1]?.index).trim(),
  }));
}

/** What the next release has to tell goes under its version; throws where there is nothing. */
export function withRelease(changelog: string, version: string, date: string): string {
  const next = sections(changelog).find(({ title }) => title === 'Unreleased');
  if (next === undefined || next.text === '')
    throw new Error('CHANGELOG.md has nothing under "## Unreleased": say there what is new');
  return changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`);
}

/** What a version brought; of one that isn't released, what it will. */
export function notesOf(changelog: string, version: string): string {
  const all = sections(changelog);
  const released = all.find(({ title }) => title.split(' ')[0] === version);
  const section = released ?? all.find(({ title }) => title === 'Unreleased');
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return section.text;
}
