import { posix } from 'node:path';
import { linkTarget } from './pages.js';

/** @typedef {import('./pages.js').Page} Page */

/** What is used of markdown-it.
 * @typedef {object} Token
 * @property {string} type
 * @property {string} tag
 * @property {string} content
 * @property {string} info
 * @property {Token[] | null} children
 * @property {[string, string][] | null} attrs
 * @property {(name: string) => string | null} attrGet
 * @property {(name: string, value: string) => void} attrSet
 *
 * @typedef {object} Markdown
 * @property {(options: object) => void} set
 * @property {{ ruler: { push(name: string, rule: (state: { env: { file?: string }, tokens: Token[], Token: new (type: string, tag: string, nesting: number) => Token }) => void): void } }} core
 * @property {{ rules: Record<string, unknown> }} renderer
 * @property {(text: string, env: object) => Token[]} parse
 */

/** Headings that can be linked to, links that lead to pages, and nothing that the policy of the page forbids.
 * @param {Markdown} markdown
 * @param {readonly Page[]} pages */
export function writePages(markdown, pages) {
  markdown.set({ html: false, linkify: false });
  const byFile = new Map(pages.map((page) => [page.file, page]));
  markdown.core.ruler.push('weir', (state) => {
    const page = byFile.get(state.env.file ?? '');
    if (page === undefined) return;
    const slugs = new Slugs();
    for (const [at, token] of state.tokens.entries()) {
      if (token.type === 'heading_open')
        token.attrSet('id', slugs.of(headingText(state.tokens[at + 1]?.children ?? [])));
      if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token);
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') leadToPage(child, page, byFile);
        if (child.type === 'image') leadToFile(child, page);
      }
    }
    state.tokens = withTabs(state.tokens, (content) =>
      Object.assign(new state.Token('html_block', '', 0), { content }),
    );
  });
  // A table that is wider than the window is moved by itself.
  markdown.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
}

/** What the tab of an example is called. */
const languages = new Map([
  ['sh', 'curl'],
  ['python', 'Python'],
  ['ts', 'TypeScript'],
]);

/** Puts the same example in several languages, blocks of code that follow one another, behind tabs.
 * @param {readonly Token[]} tokens
 * @param {(content: string) => Token} html */
function withTabs(tokens, html) {
  /** @type {Token[]} */
  const written = [];
  let groups = 0;
  for (let at = 0; at < tokens.length; ) {
    const group = exampleAt(tokens, at);
    if (group.length < 2) written.push(...tokens.slice(at, at + 1));
    else {
      const name = `example-${++groups}`;
      const tabs = group.map(({ info }, index) => {
        const id = `${name}-${index + 1}`;
        const checked = index === 0 ? ' checked' : '';
        return `<input type="radio" name="${name}" id="${id}"${checked}><label for="${id}">${languages.get(info)}</label>`;
      });
      written.push(html(`<div class="tabs" role="group" aria-label="Example">${tabs.join('')}\n`));
      written.push(...group, html('</div>\n'));
    }
    at += Math.max(1, group.length);
  }
  return written;
}

/** The blocks of code from a token on that are one example: each is in another language.
 * @param {readonly Token[]} tokens
 * @param {number} from */
function exampleAt(tokens, from) {
  /** @type {Token[]} */
  const blocks = [];
  for (const token of tokens.slice(from)) {
    const isNext = token.type === 'fence' && languages.has(token.info);
    if (!isNext || blocks.some(({ info }) => info === token.info)) break;
    blocks.push(token);
  }
  return blocks;
}

/** As GitHub names headings, so that links work in both places. */
export class Slugs {
  /** @type {Map<string, number>} */
  #seen = new Map();

  /** @param {string} text */
  of(text) {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const times = this.#seen.get(slug) ?? 0;
    this.#seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

/** @param {readonly Token[]} children */
export function headingText(children) {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
}

/** @param {Token} token */
function alignByClass(token) {
  const align = /text-align:(\w+)/.exec(token.attrGet('style') ?? '')?.[1];
  token.attrs = align === undefined ? null : [['class', align]];
}

/** What is in the project and not in the site, such as a file of the sources, is named and not linked.
 * @param {Token} link
 * @param {Page} page
 * @param {ReadonlyMap<string, Page>} byFile */
function leadToPage(link, page, byFile) {
  const href = link.attrGet('href') ?? '';
  const target = linkTarget(page.file, href);
  if (target === undefined) return;
  const found = byFile.get(target.file) ?? byFile.get(`${target.file}/README.md`);
  if (found === undefined) {
    link.attrs = null;
    return;
  }
  const path = found === page ? '' : posix.relative(posix.dirname(page.output), found.output);
  link.attrSet(
    'href',
    target.anchor === undefined ? path || posix.basename(page.output) : `${path}#${target.anchor}`,
  );
}

/** @param {Token} image
 * @param {Page} page */
function leadToFile(image, page) {
  const target = linkTarget(page.file, image.attrGet('src') ?? '');
  if (target === undefined) return;
  const output = posix.join('assets', target.file.replace(/^docs\//, ''));
  image.attrSet('src', posix.relative(posix.dirname(page.output), output));
}
