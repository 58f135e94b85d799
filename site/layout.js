import { posix } from 'node:path';

/** @typedef {import('./pages.js').Page} Page */

/** One page around its content. Nothing is inside of it that the policy of the gateway's pages forbids: no script, no style.
 * @param {{ page: Page, chapters: readonly import('./pages.js').Chapter[], content: string }} parts */
export function layout({ page, chapters, content }) {
  // What is shown in place of a page that isn't there may be shown anywhere.
  /** @param {string} output */
  const to = (output) =>
    page.output === '404.html' ? `/docs/${output}` : posix.relative(posix.dirname(page.output), output);
  const name = page.output === 'index.html' ? 'Weir' : `${plain(page.title)} · Weir`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)}</title>
<link rel="icon" type="image/svg+xml" href="${to('assets/icon.svg')}">
<link rel="stylesheet" href="${to('assets/style.css')}">
<script type="module" src="${to('assets/search.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="home" href="${to('index.html')}">Weir <span>docs</span></a>
<div class="search" hidden>
<input type="search" role="combobox" aria-label="Search the documentation" aria-expanded="false" aria-controls="found" aria-autocomplete="list" placeholder="Search" autocomplete="off" spellcheck="false">
<kbd>/</kbd>
<div id="found" role="listbox" aria-label="Found" hidden></div>
<p role="status"></p>
</div>
<a class="dashboard-link" href="/">Dashboard</a>
<a class="menu-link" href="#menu">Menu</a>
</header>
<div class="columns">
<nav id="menu" aria-label="Pages">
${chapters.map(({ title, pages }) => chapter(title, pages, page, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${content}
</main>
${outline(content)}
</div>
</body>
</html>
`;
}

/** A page at a former address, which leads to the present one.
 * @param {string} from
 * @param {string} output */
export function redirectPage(from, output) {
  const to = posix.relative(posix.dirname(from), output);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${to}">
<title>This page has moved · Weir</title>
</head>
<body>
<p>This page has moved: <a href="${to}">${to}</a></p>
</body>
</html>
`;
}

/** @param {string} title
 * @param {readonly Page[]} pages
 * @param {Page} open
 * @param {(output: string) => string} to */
function chapter(title, pages, open, to) {
  const rows = pages.map((page) => {
    const current = page === open ? ' aria-current="page"' : '';
    return `<li><a href="${to(page.output)}"${current}>${escaped(plain(page.title))}</a></li>`;
  });
  return `<h2>${title}</h2>\n<ul>\n${rows.join('\n')}\n</ul>`;
}

/** The parts of a page that has some.
 * @param {string} content */
function outline(content) {
  const parts = [...content.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (parts.length < 2) return '';
  const rows = parts.map(
    ([, id, title = '']) => `<li><a href="#${id}">${title.replace(/<\/?a[^>]*>/g, '')}</a></li>`,
  );
  return `<aside aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${rows.join('\n')}\n</ul>\n</aside>`;
}

/** @param {string} title as it is in Markdown */
function plain(title) {
  return title.replaceAll('`', '');
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
