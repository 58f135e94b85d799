import {
  type ScimComparison,
  type ScimFilter,
  type ScimValue,
  scimComparisons,
} from '../../kernel/ports/scim.ts';
import { limits } from '../limits.ts';
import { badRequest } from './scim-error.ts';

/** An attribute as a filter or a change names it: `emails[type eq "work"].value`. */
export interface AttributePath {
  /** In lower case, without the address of its schema. */
  readonly attribute: string;
  /** What the values in question have; undefined for all. */
  readonly filter: ScimFilter | undefined;
  readonly sub: string | undefined;
}

/** Parses a filter of RFC 7644, 3.4.2.2. */
export function parseFilter(text: string): ScimFilter {
  if (text.length > limits.scimFilterCharactersMax)
    throw badRequest(
      'invalidFilter',
      `filter: must have at most ${limits.scimFilterCharactersMax} characters`,
    );
  const tokens = new Tokens(text, 'invalidFilter');
  const filter = parseOr(tokens, 0);
  tokens.requireEnd();
  return filter;
}

/** Parses the path of a change. */
export function parsePath(text: string): AttributePath {
  if (text.length > limits.scimFilterCharactersMax)
    throw badRequest('invalidPath', `path: must have at most ${limits.scimFilterCharactersMax} characters`);
  const tokens = new Tokens(text, 'invalidPath');
  const path = parseAttribute(tokens, 0);
  tokens.requireEnd();
  return path;
}

function parseOr(tokens: Tokens, depth: number): ScimFilter {
  const parts = [parseAnd(tokens, depth)];
  while (tokens.takeWord('or')) parts.push(parseAnd(tokens, depth));
  return joined('or', parts);
}

function parseAnd(tokens: Tokens, depth: number): ScimFilter {
  const parts = [parseTerm(tokens, depth)];
  while (tokens.takeWord('and')) parts.push(parseTerm(tokens, depth));
  return joined('and', parts);
}

function parseTerm(tokens: Tokens, depth: number): ScimFilter {
  if (depth > limits.scimFilterDepthMax) throw tokens.error('has too many brackets within brackets');
  tokens.countTerm();
  if (tokens.takeWord('not')) {
    if (!tokens.take('(')) throw tokens.error('needs brackets after "not"');
    return { kind: 'not', part: parseGroup(tokens, depth) };
  }
  if (tokens.take('(')) return parseGroup(tokens, depth);
  const { attribute, filter, sub } = parseAttribute(tokens, depth);
  const named = sub === undefined ? attribute : `${attribute}.${sub}`;
  const inner = filter && prefixed(filter, attribute);
  const operator = tokens.peek();
  if (inner !== undefined && sub === undefined && operator !== 'pr' && !isComparison(operator)) return inner;
  const compared = parseComparison(tokens, named);
  return inner === undefined ? compared : joined('and', [inner, compared]);
}

function parseGroup(tokens: Tokens, depth: number): ScimFilter {
  const filter = parseOr(tokens, depth + 1);
  if (!tokens.take(')')) throw tokens.error('has a bracket that isn’t closed');
  return filter;
}

function parseComparison(tokens: Tokens, attribute: string): ScimFilter {
  const operator = tokens.next().toLowerCase();
  if (operator === 'pr') return { kind: 'present', attribute };
  const comparison = scimComparisons.find((known) => known === operator);
  if (comparison === undefined)
    throw tokens.error(`has "${operator.slice(0, 20)}" in the place of an operator such as eq`);
  return { kind: 'compare', attribute, comparison, value: parseValue(tokens) };
}

function parseValue(tokens: Tokens): ScimValue {
  const token = tokens.next();
  try {
    const value: unknown = JSON.parse(/^(true|false|null)$/i.test(token) ? token.toLowerCase() : token);
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as ScimValue;
  } catch {
    // Not JSON, like what follows.
  }
  throw tokens.error('has a value that is no JSON text, number, true, false or null');
}

function parseAttribute(tokens: Tokens, depth: number): AttributePath {
  const [attribute = '', ...subs] = withoutSchema(tokens.next()).split('.');
  if (!/^[a-z$][\w$-]*$/.test(attribute) || subs.length > 1) throw tokens.error('names no attribute');
  if (!tokens.take('[')) return { attribute, filter: undefined, sub: subs[0] };
  const filter = parseOr(tokens, depth + 1);
  if (!tokens.take(']')) throw tokens.error('has a bracket that isn’t closed');
  const sub = /^\.([\w$-]+)$/.exec(tokens.peek() ?? '')?.[1];
  if (sub !== undefined) tokens.next();
  return { attribute, filter, sub: sub?.toLowerCase() };
}

/** Attributes may begin with the address of their schema. */
function withoutSchema(name: string): string {
  const folded = name.toLowerCase();
  for (const schema of ['user', 'group']) {
    const prefix = `urn:ietf:params:scim:schemas:core:2.0:${schema}:`;
    if (folded.startsWith(prefix)) return folded.slice(prefix.length);
  }
  // Of extensions, which are not stored.
  return folded.startsWith('urn:') ? '$extension' : folded;
}

function prefixed(filter: ScimFilter, attribute: string): ScimFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, parts: filter.parts.map((part) => prefixed(part, attribute)) };
    case 'not':
      return { kind: 'not', part: prefixed(filter.part, attribute) };
    default:
      return { ...filter, attribute: `${attribute}.${filter.attribute}` };
  }
}

function joined(kind: 'and' | 'or', parts: readonly ScimFilter[]): ScimFilter {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : { kind, parts };
}

function isComparison(text: string | undefined): text is ScimComparison {
  return scimComparisons.some((known) => known === text?.toLowerCase());
}

class Tokens {
  readonly #tokens: readonly string[];
  readonly #fault: 'invalidFilter' | 'invalidPath';
  #at = 0;
  #terms = 0;

  constructor(text: string, fault: 'invalidFilter' | 'invalidPath') {
    this.#fault = fault;
    this.#tokens = tokensOf(text);
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.error('ends too early');
    return token;
  }

  take(token: string): boolean {
    if (this.peek() !== token) return false;
    this.#at++;
    return true;
  }

  takeWord(word: string): boolean {
    const token = this.peek();
    return token?.toLowerCase() === word && this.take(token);
  }

  countTerm(): void {
    if (++this.#terms > limits.scimFilterTermsMax)
      throw this.error(`has more than ${limits.scimFilterTermsMax} terms`);
  }

  requireEnd(): void {
    const token = this.peek();
    if (token !== undefined)
      throw this.error(`goes on with "${token.slice(0, 50)}", which has no place there`);
  }

  error(what: string) {
    return badRequest(this.#fault, `${this.#fault === 'invalidFilter' ? 'filter' : 'path'}: ${what}`);
  }
}

const brackets = '()[]';

/** Texts in quotes, brackets, and what is between them and blanks. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const first = text.charAt(at++);
    if (/\s/.test(first)) continue;
    if (first === '"') {
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      at++;
    } else if (!brackets.includes(first))
      while (at < text.length && !/[\s"]/.test(text.charAt(at)) && !brackets.includes(text.charAt(at))) at++;
    tokens.push(text.slice(start, at));
  }
  return tokens;
}
