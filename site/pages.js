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

/** The chapters of the menu, in order: pages by name, or all pages of a folder that no earlier entry has. A page that is
 * in none of these is under "More".
 * @type {readonly (readonly [string, readonly string[]])[]} */
const chapters = [
  ['Start', ['README', 'docs/start/developer', 'docs/start/team', 'docs/start/operator', 'docs/start/']],
  [
    'Guides',
    [
      'docs/guides/sdks',
      'docs/guides/other-endpoints',
      'docs/guides/realtime',
      'docs/guides/files',
      'docs/guides/batches',
      'docs/guides/pass-through',
      'docs/guides/pipelines',
      'docs/guides/routing',
      'docs/guides/aliases',
      'docs/guides/prompts',
      'docs/guides/guardrails',
      'docs/guides/budgets',
      'docs/guides/alerts',
      'docs/guides/access-rules',
      'docs/guides/mcp-openapi',
      'docs/guides/mcp-authorization',
      'docs/guides/rate-limits',
      'docs/guides/caching',
      'docs/guides/long-conversations',
      'docs/guides/dashboard',
      'docs/guides/mcp',
      'docs/guides/observability',
      'docs/guides/recordings',
      'docs/guides/in-programs',
      'docs/guides/accounts',
      'docs/guides/organizations',
      'docs/guides/projects',
      'docs/guides/single-sign-on',
      'docs/guides/provisioning',
      'docs/guides/service-accounts',
      'docs/guides/issued-tokens',
      'docs/guides/audit',
      'docs/guides/retention',
      'docs/guides/evidence',
      'docs/guides/moving',
      'docs/guides/billing',
      'docs/guides/payments',
      'docs/guides/sandbox',
      'docs/guides/receipts',
      'docs/guides/configuration',
      'docs/guides/deploying',
      'docs/guides/operating',
      'docs/guides/upgrading',
      'docs/guides/security',
      'docs/guides/airgap',
      'docs/guides/coming-from-litellm',
      'docs/guides/coming-from-portkey',
      'docs/guides/coming-from-openrouter',
    ],
  ],
  ['Providers', ['docs/guides/providers/']],
  ['Agents', ['docs/guides/agents/']],
  ['Troubleshooting', ['docs/troubleshooting']],
  [
    'Reference',
    [
      'docs/reference/README',
      'docs/reference/settings',
      'docs/reference/commands',
      'docs/reference/api',
      'docs/reference/headers',
      'docs/reference/errors',
      'docs/reference/formats',
      'docs/reference/metrics',
      'docs/reference/modules/',
      'docs/reference/',
      'docs/glossary',
    ],
  ],
  ['How it works', ['docs/how-it-works/README', 'ARCHITECTURE', 'docs/how-it-works/', 'docs/decisions/']],
];
const last = ['CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'CODE_OF_CONDUCT'];

/** Addresses that pages had before, and the pages that replace them. Bookmarks and links in old messages lead there.
 * @type {Readonly<Record<string, string>>} */
export const redirects = {
  'accounts.html': 'guides/accounts.html',
  'agents.html': 'guides/agents/index.html',
  'benchmarks.html': 'how-it-works/benchmarks.html',
  'billing.html': 'guides/billing.html',
  'ceilings.html': 'guides/budgets.html',
  'clouds.html': 'guides/providers/index.html',
  'commands.html': 'reference/commands.html',
  'conversations.html': 'how-it-works/conversations.html',
  'dashboard.html': 'guides/dashboard.html',
  'deploying.html': 'guides/deploying.html',
  'embeddings.html': 'how-it-works/embeddings.html',
  'errors.html': 'reference/errors.html',
  'formats.html': 'reference/formats.html',
  'in-programs.html': 'guides/in-programs.html',
  'ipc.html': 'how-it-works/ipc.html',
  'models.html': 'how-it-works/models.html',
  'modules/cost-guard.html': 'reference/modules/cost-guard.html',
  'modules/exact-cache.html': 'reference/modules/exact-cache.html',
  'modules/index.html': 'reference/modules/index.html',
  'modules/ipc.html': 'reference/modules/ipc.html',
  'modules/mcp-optimizer.html': 'reference/modules/mcp-optimizer.html',
  'modules/patterns.html': 'reference/modules/patterns.html',
  'modules/semantic-cache.html': 'reference/modules/semantic-cache.html',
  'operating.html': 'guides/operating.html',
  'patterns.html': 'how-it-works/patterns.html',
  'payments.html': 'guides/payments.html',
  'prices.html': 'reference/prices.html',
  'receipts.html': 'guides/receipts.html',
  'request-log.html': 'reference/request-log.html',
  'sandbox.html': 'guides/sandbox.html',
  'security.html': 'guides/security.html',
  'semantic-cache.html': 'how-it-works/semantic-cache.html',
  'settings.html': 'reference/settings.html',
  'usage.html': 'reference/usage.html',
  'using.html': 'guides/providers/index.html',
};

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
  const project = take(last);
  const more = [...left].toSorted((one, other) => (one.title < other.title ? -1 : 1));
  return [...first, { title: 'More', pages: more }, { title: 'Project', pages: project }].filter(
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
