import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesOf, withRelease } from '../scripts/release/changelog.ts';
import { bundledPackages, lockedPackages, unexpected } from '../scripts/release/licences.ts';
import { sbom } from '../scripts/release/sbom.ts';
import { nextVersion } from '../scripts/release/version.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-01-01)\n\n- old\n';

test('a release moves what is new under its version, and is refused where nothing is', () => {
  const released = withRelease(changelog, '0.2.0', '2026-02-02');
  assert.match(released, /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(2026-02-02\)\n\n- new\n\n## 0\.1\.0/);
  assert.throws(() => withRelease(released, '0.3.0', '2026-03-03'), /nothing under "## Unreleased"/);
});

test("a release's notes are its own section, and before the release what will be", () => {
  assert.equal(notesOf(changelog, '0.1.0'), '- old');
  assert.equal(notesOf(changelog, '0.2.0'), '- new');
  assert.equal(notesOf(withRelease(changelog, '0.2.0', '2026-02-02'), '0.2.0'), '- new');
});

test('versions count on, and never back', () => {
  assert.deepEqual(
    ['patch', 'minor', 'major', '1.10.0', '1.9.3'].map((asked) => nextVersion('1.9.3', asked)),
    ['1.9.4', '1.10.0', '2.0.0', '1.10.0', '1.9.3'],
  );
  assert.throws(() => nextVersion('1.10.0', '1.9.9'), /comes before/);
  assert.throws(() => nextVersion('1.10.0', 'v2'), /is not a version/);
});

test('no package has a licence that nobody agreed to', () => {
  const { shipped, tools } = lockedPackages();
  assert.ok(shipped.length > 10 && tools.length > 10);
  assert.deepEqual(unexpected(shipped), []);
  assert.deepEqual(unexpected(tools, true), []);
  assert.deepEqual(
    unexpected([
      { name: 'copyleft', version: '1.0.0', licence: 'GPL-3.0-only' },
      { name: 'either', version: '1.0.0', licence: '(MIT OR GPL-3.0-only)' },
      { name: 'silent', version: '1.0.0', licence: 'none' },
    ]).map(({ name }) => name),
    ['copyleft', 'silent'],
  );
});

test('what pages have in them is written down with its licences, which ask for no more than a notice', () => {
  const bundled = bundledPackages();
  const names = bundled.map(({ name }) => name);
  for (const name of ['react', 'tailwindcss', '@fontsource-variable/inter', 'minisearch'])
    assert.ok(names.includes(name), `${name} is among ${names.join(', ')}`);
  assert.deepEqual(unexpected(bundled), []);
  assert.match(
    bundled.find(({ name }) => name.startsWith('@fontsource'))?.text ?? '',
    /SIL OPEN FONT LICENSE/,
  );
});

test('the list of parts has all that is shipped, and no tool', () => {
  const shipped = [...lockedPackages().shipped, ...bundledPackages()];
  const listed: readonly { readonly name: string }[] = JSON.parse(sbom()).components;
  assert.deepEqual(
    [...new Set(listed.map(({ name }) => name))].toSorted(),
    [...new Set(shipped.map(({ name }) => name))].toSorted(),
  );
});
