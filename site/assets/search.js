import MiniSearch from './minisearch.js';
import { searchOptions } from './search-options.js';

const foundMax = 12;
const excerptCharacters = 140;
const box = element('.search');
const input = /** @type {HTMLInputElement} */ (element('.search input'));
const list = element('#found');
const status = element('.search [role=status]');
const site = new URL('..', import.meta.url);

/** @type {Promise<MiniSearch> | undefined} */
let loading;
let chosen = -1;

box.hidden = false;
input.addEventListener('focus', () => void load());
input.addEventListener('input', () => void show());
input.addEventListener('keydown', onKey);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !box.contains(event.target)) close();
});

/** With the first use, and again where it failed. */
function load() {
  loading ??= fetch(new URL('assets/index.json', site))
    .then((answer) => answer.text())
    .then((text) => MiniSearch.loadJSON(text, searchOptions));
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function show() {
  const asked = input.value.trim();
  if (asked === '') return close();
  try {
    const index = await load();
    if (asked !== input.value.trim()) return;
    const found = index.search(asked).slice(0, foundMax);
    chosen = -1;
    list.replaceChildren(...found.map(row));
    open(found.length > 0);
    status.textContent = found.length === 0 ? `Nothing is found for “${asked}”.` : `${found.length} found`;
    status.classList.toggle('nothing', found.length === 0);
  } catch {
    open(false);
    status.textContent = 'The search could not be loaded.';
  }
}

/** @param {{ id: string, page: string, heading: string, text: string, terms: readonly string[] }} found
 * @param {number} at */
function row({ id, page, heading, text, terms }, at) {
  const link = document.createElement('a');
  link.href = new URL(id, site).href;
  link.id = `found-${at}`;
  link.role = 'option';
  link.tabIndex = -1;
  const where = page === heading ? page : `${page} › ${heading}`;
  const [title, excerpt] = [document.createElement('strong'), document.createElement('span')];
  title.append(...marked(where.replaceAll('`', ''), terms));
  excerpt.append(...marked(excerptOf(text, terms), terms));
  link.append(title, excerpt);
  link.addEventListener('click', close);
  return link;
}

/** @param {string} text
 * @param {readonly string[]} terms */
function excerptOf(text, terms) {
  const small = text.toLowerCase();
  const places = terms.map((term) => small.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 || start === 0 ? 0 : text.indexOf(' ', start) + 1;
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + excerptCharacters)}${text.length > from + excerptCharacters ? ' …' : ''}`;
}

/** @param {string} text
 * @param {readonly string[]} terms
 * @returns {readonly (string | Node)[]} */
function marked(text, terms) {
  if (terms.length === 0) return [text];
  const words = new RegExp(
    `(${terms.map((term) => term.replaceAll(/[^\p{L}\p{N}_]/gu, '.')).join('|')})`,
    'giu',
  );
  return text.split(words).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const mark = document.createElement('mark');
    mark.textContent = piece;
    return mark;
  });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const rows = [...list.children];
  if (event.key === 'Escape') {
    close();
    input.value = '';
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    if (rows.length > 0) choose((chosen + step + rows.length) % rows.length);
  } else if (event.key === 'Enter') {
    const row = rows[Math.max(chosen, 0)];
    if (row instanceof HTMLAnchorElement) row.click();
  }
}

/** @param {number} at */
function choose(at) {
  chosen = at;
  for (const [place, row] of [...list.children].entries()) row.ariaSelected = String(place === at);
  const row = list.children[at];
  row?.scrollIntoView({ block: 'nearest' });
  if (row !== undefined) input.setAttribute('aria-activedescendant', row.id);
}

/** @param {boolean} isOpen */
function open(isOpen) {
  list.hidden = !isOpen;
  input.ariaExpanded = String(isOpen);
  input.removeAttribute('aria-activedescendant');
}

function close() {
  open(false);
  status.textContent = '';
}

/** @param {string} selector
 * @returns {HTMLElement} */
function element(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return found;
}
