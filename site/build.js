import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compressFiles } from '../bin/compress.js';
import { layout, redirectPage } from './layout.js';
import { writePages } from './markdown.js';
import { chaptersOf, findPages, redirects } from './pages.js';

const root = join(import.meta.dirname, '..');
const built = join(root, 'site', 'dist');

/** @type {import('./pages.js').Page} */
const missing = {
  file: '404.md',
  output: '404.html',
  title: 'There is no such page',
  text: '# There is no such page\n\nThe search may find what it was about.\n',
};

/** Writes the pages of docs and of the project's root into site/dist, with an index to search in.
 * @param {typeof import('@11ty/eleventy').Eleventy} Eleventy */
export async function buildSite(Eleventy) {
  const { default: highlight } = await import('@11ty/eleventy-plugin-syntaxhighlight');
  const { searchIndex } = await import('./search-index.js');
  const found = findPages(root);
  const chapters = chaptersOf(found);
  const pages = [...found, missing];
  const byUrl = new Map(pages.map((page) => [`/${page.output}`, page]));
  let index = '';
  rmSync(built, { recursive: true, force: true });
  const eleventy = new Eleventy(join(root, 'site', 'assets'), built, {
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false);
      config.addPlugin(highlight);
      for (const { file, output, text } of pages)
        config.addTemplate(output.replace(/html$/, 'md'), text, {
          permalink: output,
          file,
          // Braces in a page are text.
          templateEngineOverride: 'md',
        });
      config.amendLibrary('md', (markdown) => {
        writePages(markdown, pages);
        index = searchIndex(markdown, found);
      });
      config.addTransform('page', function (content) {
        const page = byUrl.get(this.page.url.replace(/\/$/, '/index.html'));
        if (page === undefined) throw new Error(`${this.page.url} is no page`);
        // What is wider than the window is moved with keys, too.
        return layout({ page, chapters, content: content.replaceAll('<pre', '<pre tabindex="0"') });
      });
    },
  });
  await eleventy.write();
  for (const [from, to] of Object.entries(redirects)) {
    mkdirSync(dirname(join(built, from)), { recursive: true });
    writeFileSync(join(built, from), redirectPage(from, to));
  }
  copyAssets();
  writeFileSync(join(built, 'assets', 'index.json'), index);
  compressFiles(built);
}

function copyAssets() {
  const require = createRequire(import.meta.url);
  const inter = dirname(require.resolve('@fontsource-variable/inter/package.json'));
  const files = {
    'assets/icon.svg': join(root, 'web', 'icon.svg'),
    'assets/inter.woff2': join(inter, 'files', 'inter-latin-wght-normal.woff2'),
    'assets/minisearch-license.txt': join(dirname(require.resolve('minisearch')), '..', '..', 'LICENSE.txt'),
    'assets/minisearch.js': join(dirname(require.resolve('minisearch')), '..', 'es', 'index.js'),
  };
  const own = globSync('*', { cwd: join(root, 'site', 'assets') }).map((name) => [
    `assets/${name}`,
    join(root, 'site', 'assets', name),
  ]);
  const pictures = globSync('**/*.{svg,png}', { cwd: join(root, 'docs') }).map((name) => [
    `assets/${name}`,
    join(root, 'docs', name),
  ]);
  for (const [name = '', file = ''] of [...Object.entries(files), ...own, ...pictures]) {
    mkdirSync(dirname(join(built, name)), { recursive: true });
    copyFileSync(file, join(built, name));
  }
}
