import { globSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

/** What the documentation is made of: every Markdown file of the project's root and of docs.
 * @typedef {object} Page
 * @property {string} file where its text is, from the project's root
 * @property {string} output where it is in the site
 * @property {string} title
 * @property {string} text
 */

/** @typedef {{ readonly title: string, readonly pages: readonly Page[] }} Chapter */

/** What comes first, and where; a page that is in none of these is found under "More".
 * @type {readonly (readonly [string, readonly string[]])[]} */
const chapters = [
  ['Start', ['README', 'docs/using', 'docs/agents', 'docs/dashboard', 'docs/in-programs']],
  [
    'Calls',
    [
      'docs/formats',
      'docs/errors',
      'docs/clouds',
      'docs/ceilings',
      'docs/prices',
      'docs/usage',
      'docs/request-log',
    ],
  ],
  ['Modules', ['docs/modules/', 'docs/conversations', 'docs/semantic-cache', 'docs/ipc', 'docs/patterns']],
  ['Models on the machine', ['docs/embeddings', 'docs/models']],
  ['People and money', ['docs/accounts', 'docs/billing', 'docs/payments', 'docs/sandbox', 'docs/receipts']],
  [
    'Running it',
    [
      'docs/settings',
      'docs/commands',
      'docs/deploying',
      'docs/operating',
      'docs/security',
      'docs/benchmarks',
    ],
  ],
];
const last = [
  'ARCHITECTURE',
  'CONTRIBUTING',
  'docs/glossary',
  'docs/decisions/',
  'CHANGELOG',
  'SECURITY',
  'CODE_OF_CONDUCT',
];

/** @param {string} root
 * @returns {readonly Page[]} */
export function findPages(root) {
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  const pages = files.toSorted().map((file) => pageOf(file, readFileSync(posix.join(root, file), 'utf8')));
  return [...pages, decisionsPage(pages)];
}

/** @param {readonly Page[]} pages
 * @returns {readonly Chapter[]} */
export function chaptersOf(pages) {
  const left = new Set(pages.filter(({ file }) => !/^docs\/decisions\/\d/.test(file)));
  /** @param {readonly string[]} names */
  const take = (names) =>
    names.flatMap((name) => {
      const found = [...left].filter(({ file }) =>
        name.endsWith('/') ? file.startsWith(name) : file === `${name}.md`,
      );
      for (const page of found) left.delete(page);
      return found.toSorted((one, other) => Number(isIndex(other)) - Number(isIndex(one)));
    });
  const first = chapters.map(([title, names]) => ({ title, pages: take(names) }));
  const inside = take(last);
  const more = [...left].toSorted((one, other) => (one.title < other.title ? -1 : 1));
  return [...first, { title: 'More', pages: more }, { title: 'Inside', pages: inside }].filter(
    ({ pages: some }) => some.length > 0,
  );
}

/** @param {string} file
 * @param {string} text
 * @returns {Page} */
function pageOf(file, text) {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? posix.basename(file, '.md');
  const name = file.replace(/^docs\//, '').replace(/\.md$/, '');
  const isOfRoot = !file.startsWith('docs/') && name !== 'README';
  const inSite = isOfRoot ? `project/${name.toLowerCase()}` : name;
  const output = `${inSite.replace(/(^|\/)readme$/i, '$1index')}.html`;
  return { file, output, title, text };
}

/** @param {readonly Page[]} pages
 * @returns {Page} */
function decisionsPage(pages) {
  const rows = pages
    .filter(({ file }) => file.startsWith('docs/decisions/'))
    .map(({ file, title }) => `- [${title}](${posix.basename(file)})`);
  return pageOf(
    'docs/decisions/README.md',
    `# Decisions\n\nWhy things are as they are.\n\n${rows.join('\n')}\n`,
  );
}

/** @param {Page} page */
function isIndex({ output }) {
  return posix.basename(output) === 'index.html';
}

/** Where a link of a file leads, if that is within the project.
 * @param {string} file
 * @param {string} href */
export function linkTarget(file, href) {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(href)) return undefined;
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.join(dirname(file), decodeURIComponent(path));
  return { file: target.replace(/\/$/, ''), anchor };
}
