import MiniSearch from 'minisearch';
import { searchOptions } from './assets/search-options.js';
import { headingText, Slugs } from './markdown.js';

/** @typedef {import('./pages.js').Page} Page */

/** Every part of every page, by its heading, for the search in the browser.
 * @param {import('./markdown.js').Markdown} markdown
 * @param {readonly Page[]} pages */
export function searchIndex(markdown, pages) {
  const index = new MiniSearch(searchOptions);
  index.addAll(pages.flatMap((page) => partsOf(markdown, page)));
  return JSON.stringify(index);
}

/** @param {import('./markdown.js').Markdown} markdown
 * @param {Page} page */
function partsOf(markdown, page) {
  const slugs = new Slugs();
  const parts = [{ id: page.output, page: page.title, heading: page.title, text: '' }];
  const tokens = markdown.parse(page.text, {});
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = headingText(tokens[at + 1]?.children ?? []);
      const slug = slugs.of(heading);
      if (token.tag !== 'h1')
        parts.push({ id: `${page.output}#${slug}`, page: page.title, heading, text: '' });
    } else if (tokens[at - 1]?.type !== 'heading_open') {
      const last = parts.at(-1);
      if (last !== undefined) last.text += ` ${textOf(token)}`;
    }
  }
  return parts.map((part) => ({ ...part, text: part.text.replaceAll(/\s+/g, ' ').trim() }));
}

/** @param {import('./markdown.js').Token} token */
function textOf({ type, content, children }) {
  if (type === 'fence' || type === 'code_block') return content;
  if (type !== 'inline') return '';
  return (children ?? [])
    .map((child) => (child.type === 'softbreak' ? ' ' : child.type === 'image' ? '' : child.content))
    .join('');
}
